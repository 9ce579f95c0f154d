package errand

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
)

// Metrics counts errands by the states that they come to. Labels are a closed set; nothing here names a tenant, a caller
// or a number.
type Metrics struct{ states *prometheus.CounterVec }

// NewMetrics registers the metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "recaller_errands_total", Help: "Steps of errands (rings and texts about reminders), by the state that they led to.",
	}, []string{"state"})}
	for _, s := range recaller.ErrandStates() {
		m.states.WithLabelValues(string(s))
	}
	reg.MustRegister(m.states)
	return m
}

func (m *Metrics) count(s recaller.ErrandState) { m.states.WithLabelValues(string(s)).Inc() }
