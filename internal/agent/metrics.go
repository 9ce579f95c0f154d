package agent

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
)

// Metrics counts answers, and how long callers waited for the first word. Labels are closed sets. A nil *Metrics counts
// nothing.
type Metrics struct {
	answers *prometheus.CounterVec
	first   *prometheus.HistogramVec
}

// NewMetrics registers the metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		answers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_agent_answers_total",
			Help: "Answers of the built-in agent, by how they ended: model, fallback (an apology), interrupted.",
		}, []string{"channel", "result"}),
		first: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "recaller_agent_first_word_seconds",
			Help:    "How long callers waited for the first word of an answer of the built-in agent.",
			Buckets: []float64{0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 8, 15, 30},
		}, []string{"channel"}),
	}
	reg.MustRegister(m.answers, m.first)
	return m
}

// answered counts an answer; first 0: not a word was said.
func (m *Metrics) answered(c recaller.Channel, how string, first time.Duration) {
	if m == nil {
		return
	}
	if !c.Valid() {
		c = "other"
	}
	m.answers.WithLabelValues(string(c), how).Inc()
	if first > 0 {
		m.first.WithLabelValues(string(c)).Observe(first.Seconds())
	}
}
