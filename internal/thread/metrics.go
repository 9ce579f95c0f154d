package thread

import "github.com/prometheus/client_golang/prometheus"

// Metrics counts what becomes of tags.
type Metrics struct{ tags *prometheus.CounterVec }

// NewMetrics returns Metrics that reg collects.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "recaller_tags_total", Help: "Tags in replies, by kind and by what became of them.",
	}, []string{"kind", "result"})}
	reg.MustRegister(m.tags)
	return m
}

func (m *Metrics) count(d Done) { m.tags.WithLabelValues(string(d.Kind), string(d.Result)).Inc() }
