package tool

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
)

// Metrics counts the calls of tools and times them (W12). Labels are closed sets.
type Metrics struct {
	calls   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
}

// NewMetrics registers the metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_tool_calls_total", Help: "Calls of tools, by what they did or how they failed.",
		}, []string{"tool", "result"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "recaller_tool_call_duration_seconds", Help: "How long calls of tools waited for their answer.",
			Buckets: []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 2},
		}, []string{"tool"}),
	}
	reg.MustRegister(m.calls, m.seconds)
	return m
}

// tell counts a call and logs it, without a word of what it was about.
func (s *Service) tell(ctx context.Context, x exchange, res Result, err error, took time.Duration) {
	name, result := string(x.call.Name), string(res.Action)
	switch {
	case err != nil:
		result = string(recaller.KindOf(err))
	case res.Done != "":
		result = res.Done
	case res.Waiting != nil:
		result = recaller.ToolListed
	case res.Reminder != nil && res.Reminder.Status == recaller.ReminderCancelled:
		result = recaller.ToolCancelled
	case res.Reminder != nil:
		result = recaller.ToolReminded
	}
	if !x.call.Name.Valid() {
		name = "other"
	}
	s.Metrics.calls.WithLabelValues(name, result).Inc()
	s.Metrics.seconds.WithLabelValues(name).Observe(took.Seconds())
	s.Log.InfoContext(ctx, "tool call", "tenant", x.call.Tenant, "conversation", x.conv.ID, "tool", name,
		"result", result,
		"memory", res.MemoryID, "dur_ms", took.Milliseconds())
}
