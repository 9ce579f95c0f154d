package conversation

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
)

// Metrics counts what conversations do. Labels are closed sets; nothing here names a tenant or a caller.
type Metrics struct {
	startedBy *prometheus.CounterVec
	endedBy   *prometheus.CounterVec
	turns     prometheus.Counter
	held      prometheus.Counter
	imported  prometheus.Counter
}

// NewMetrics registers the metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		startedBy: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_conversations_started_total", Help: "Conversations started.",
		}, []string{"channel"}),
		endedBy: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_conversations_ended_total", Help: "Conversations ended.",
		}, []string{"status"}),
		turns: prometheus.NewCounter(prometheus.CounterOpts{Name: "recaller_turns_total", Help: "Turns stored."}),
		held: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "recaller_turns_held_total", Help: "Turns held: answered while the store was away.",
		}),
		imported: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "recaller_conversations_imported_total", Help: "Past conversations imported.",
		}),
	}
	reg.MustRegister(m.startedBy, m.endedBy, m.turns, m.held, m.imported)
	return m
}

func (m *Metrics) started(c recaller.Channel) { m.startedBy.WithLabelValues(string(c)).Inc() }
func (m *Metrics) ended(s recaller.Status)    { m.endedBy.WithLabelValues(string(s)).Inc() }
