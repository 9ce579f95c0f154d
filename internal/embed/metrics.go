package embed

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller/internal/endpoint"
)

// Metrics counts what is asked of embedders. Labels are closed sets. A nil *Metrics counts nothing.
type Metrics struct {
	calls *endpoint.Metrics
	texts *prometheus.CounterVec
}

// NewMetrics registers the metrics. The built-in embedder makes no requests.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		calls: endpoint.NewMetrics(reg, "recaller_embedding", "embedding endpoints",
			[]float64{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30}),
		texts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_embedding_texts_total", Help: "Texts that were given a vector.",
		}, []string{"provider"}),
	}
	reg.MustRegister(m.texts)
	return m
}

func (m *Metrics) ofCalls() *endpoint.Metrics {
	if m == nil {
		return nil
	}
	return m.calls
}

// embedded counts texts.
func (m *Metrics) embedded(provider string, n int) {
	if m != nil {
		m.texts.WithLabelValues(provider).Add(float64(n))
	}
}
