package embed

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint"
)

// Metrics counts what is asked of embedders. Labels are closed sets. A nil *Metrics counts nothing.
type Metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	texts    *prometheus.CounterVec
	breaker  prometheus.Gauge
}

// NewMetrics registers the metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "recaller_embedding_requests_total", Help: "Requests to embedding endpoints, by how they ended; turned_away: not sent, because the breaker was open or too many were under way. The built-in embedder makes none."}, []string{"provider", "result"}),
		seconds:  prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "recaller_embedding_request_duration_seconds", Help: "How long requests to embedding endpoints took.", Buckets: []float64{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30}}, []string{"provider"}),
		texts:    prometheus.NewCounterVec(prometheus.CounterOpts{Name: "recaller_embedding_texts_total", Help: "Texts that were given a vector."}, []string{"provider"}),
		breaker:  prometheus.NewGauge(prometheus.GaugeOpts{Name: "recaller_embedding_breaker_open", Help: "1 while the embedding endpoint is left alone, because it failed too often or asked for it."}),
	}
	reg.MustRegister(m.requests, m.seconds, m.texts, m.breaker)
	return m
}

// sent counts one request. kind is its failure's; "": it was answered.
func (m *Metrics) sent(provider string, took time.Duration, kind recaller.Kind, abandoned bool) {
	if m == nil {
		return
	}
	m.requests.WithLabelValues(provider, resultOf(kind, abandoned)).Inc()
	m.seconds.WithLabelValues(provider).Observe(took.Seconds())
}

func resultOf(kind recaller.Kind, abandoned bool) string {
	switch {
	case kind == "":
		return "ok"
	case abandoned:
		return "abandoned"
	}
	return endpoint.Result(kind)
}

// turnedAway counts a request that was not sent.
func (m *Metrics) turnedAway(provider string) {
	if m != nil {
		m.requests.WithLabelValues(provider, "turned_away").Inc()
	}
}

// embedded counts texts.
func (m *Metrics) embedded(provider string, n int) {
	if m != nil {
		m.texts.WithLabelValues(provider).Add(float64(n))
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
