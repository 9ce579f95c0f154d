package briefing

import "github.com/prometheus/client_golang/prometheus"

// Metrics counts what searches for a query lead to. It names no tenant and no caller. A nil Metrics counts nothing.
type Metrics struct{ looked *prometheus.CounterVec }

// NewMetrics registers the metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{looked: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "recaller_briefing_recall_total",
		Help: "Searches for what fits a briefing's query, by what came of them: found, nothing; late or failed, and " +
			"the briefing went without.",
	}, []string{"outcome"})}
	reg.MustRegister(m.looked)
	return m
}

func (m *Metrics) count(outcome string) {
	if m != nil {
		m.looked.WithLabelValues(outcome).Inc()
	}
}
