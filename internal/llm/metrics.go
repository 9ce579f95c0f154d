package llm

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller/internal/endpoint"
)

// Metrics counts what is asked of models. Labels are closed sets. A nil *Metrics counts nothing.
type Metrics struct {
	calls  *endpoint.Metrics
	tokens *prometheus.CounterVec
}

// NewMetrics registers the metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		calls: endpoint.NewMetrics(reg, "recaller_model", "language models",
			[]float64{0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60}),
		tokens: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_model_tokens_total", Help: "Tokens that providers told of, in and out.",
		}, []string{"direction"}),
	}
	reg.MustRegister(m.tokens)
	return m
}

func (m *Metrics) ofCalls() *endpoint.Metrics {
	if m == nil {
		return nil
	}
	return m.calls
}

// told counts the tokens of one request.
func (m *Metrics) told(t endpoint.Told) {
	if m != nil {
		m.tokens.WithLabelValues("in").Add(float64(t.In))
		m.tokens.WithLabelValues("out").Add(float64(t.Out))
	}
}
