package memory

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
)

// Metrics counts what is written (W12). Labels are closed sets; nothing here names a tenant or a caller. A nil *Metrics
// counts nothing.
type Metrics struct {
	stored    *prometheus.CounterVec
	updated   prometheus.Counter
	confirmed prometheus.Counter
	merged    prometheus.Counter
	forgotten prometheus.Counter
}

// NewMetrics registers the metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	m := &Metrics{
		stored: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_memories_stored_total", Help: "Memories that were new when they were stored.",
		}, []string{"source"}),
		updated:   counter("recaller_memories_updated_total", "New versions of memories."),
		confirmed: counter("recaller_memories_confirmed_total", "Memories that were told again as they were."),
		merged:    counter("recaller_memories_merged_total", "Memories that were told already under another key."),
		forgotten: counter("recaller_memories_forgotten_total", "Memories that were to be forgotten."),
	}
	reg.MustRegister(m.stored, m.updated, m.confirmed, m.merged, m.forgotten)
	return m
}

func (m *Metrics) wrote(w recaller.MemoryWritten) {
	if m == nil {
		return
	}
	switch w.Action {
	case recaller.MemoryCreated:
		m.stored.WithLabelValues(string(w.Memory.Source)).Inc()
	case recaller.MemoryUpdated, recaller.MemoryRestored:
		m.updated.Inc()
	case recaller.MemoryConfirmed:
		m.confirmed.Inc()
	case recaller.MemoryMerged:
		m.merged.Inc()
	case recaller.MemoryClosed:
		m.forgotten.Inc()
	case recaller.MemoryKept: // nothing was written
	}
}

// written tells the feed, the metrics and the log of a committed write, and wakes the job workers if it left a job.
func (s *Service) written(
	ctx context.Context, tenant recaller.TenantID, w recaller.MemoryWritten, err error,
) (recaller.MemoryWritten, error) {
	if err != nil {
		return w, err
	}
	s.Metrics.wrote(w)
	s.log(ctx, tenant, w)
	if w.Change.Version > 0 {
		s.Changed(w.Change)
	}
	if w.Reminder != nil || w.Action == recaller.MemoryClosed || w.Action == recaller.MemoryRestored {
		s.Enqueued()
	}
	return w, nil
}

// log logs a write by ids and labels only. It does not log the key, which is words that somebody said.
func (s *Service) log(ctx context.Context, tenant recaller.TenantID, w recaller.MemoryWritten) {
	m := w.Memory
	what := []any{
		"tenant", tenant, "memory", m.ID, "version", m.Version, "type", m.Type, "source", m.Source,
		"conversation", m.Provenance.Conversation,
	}
	switch w.Action {
	case recaller.MemoryCreated:
		s.Log.InfoContext(ctx, "memory stored", what...)
	case recaller.MemoryUpdated:
		s.Log.InfoContext(ctx, "memory updated", what...)
	case recaller.MemoryConfirmed:
		s.Log.InfoContext(ctx, "memory confirmed", what...)
	case recaller.MemoryMerged:
		s.Log.InfoContext(ctx, "memory merged", what...)
	case recaller.MemoryClosed:
		s.Log.InfoContext(ctx, "memory forgotten", what...)
	case recaller.MemoryRestored:
		s.Log.InfoContext(ctx, "memory restored", what...)
	case recaller.MemoryKept: // nothing was written
	}
}
