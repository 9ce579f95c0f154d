package llm

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint"
)

// Metrics counts what is asked of models. Labels are closed sets. A nil *Metrics counts nothing.
type Metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	tokens   *prometheus.CounterVec
	breaker  prometheus.Gauge
}

// NewMetrics registers the metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "recaller_model_requests_total", Help: "Requests to language models, by how they ended; turned_away: not sent, because the breaker was open or too many were under way."}, []string{"provider", "result"}),
		seconds:  prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "recaller_model_request_duration_seconds", Help: "How long requests to language models took.", Buckets: []float64{0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60}}, []string{"provider"}),
		tokens:   prometheus.NewCounterVec(prometheus.CounterOpts{Name: "recaller_model_tokens_total", Help: "Tokens that providers told of, in and out."}, []string{"direction"}),
		breaker:  prometheus.NewGauge(prometheus.GaugeOpts{Name: "recaller_model_breaker_open", Help: "1 while the model's endpoint is left alone because it failed too often."}),
	}
	reg.MustRegister(m.requests, m.seconds, m.tokens, m.breaker)
	return m
}

// sent counts one request.
func (m *Metrics) sent(provider string, took time.Duration, answer said, err error, kind recaller.Kind, abandoned bool) {
	if m == nil {
		return
	}
	m.requests.WithLabelValues(provider, resultOf(answer, err, kind, abandoned)).Inc()
	m.seconds.WithLabelValues(provider).Observe(took.Seconds())
	m.tokens.WithLabelValues("in").Add(float64(answer.in))
	m.tokens.WithLabelValues("out").Add(float64(answer.out))
}

func resultOf(answer said, err error, kind recaller.Kind, abandoned bool) string {
	switch {
	case err == nil && answer.cut:
		return "cut"
	case err == nil:
		return "ok"
	case abandoned:
		return "abandoned"
	}
	return endpoint.Result(kind)
}

// turnedAway counts a question that was not sent.
func (m *Metrics) turnedAway(provider string) {
	if m != nil {
		m.requests.WithLabelValues(provider, "turned_away").Inc()
	}
}

// open tells whether the breaker is.
func (m *Metrics) open(is bool) {
	switch {
	case m == nil:
	case is:
		m.breaker.Set(1)
	default:
		m.breaker.Set(0)
	}
}
