package endpoint

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics counts the requests to endpoints of one sort. Labels are closed sets. A nil *Metrics counts nothing.
type Metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	breaker  prometheus.Gauge
}

// NewMetrics registers the metrics: prefix_requests_total, prefix_request_duration_seconds with the buckets, and
// prefix_breaker_open. what is asked: "language models".
func NewMetrics(reg prometheus.Registerer, prefix, what string, buckets []float64) *Metrics {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: prefix + "_requests_total",
			Help: "Requests to " + what + ", by how they ended; " +
				"turned_away: not sent, because the breaker was open or too many were under way.",
		}, []string{"provider", "result"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    prefix + "_request_duration_seconds",
			Help:    "How long requests to " + what + " took.",
			Buckets: buckets,
		}, []string{"provider"}),
		breaker: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: prefix + "_breaker_open",
			Help: "1 while the endpoint is left alone, because it failed too often or asked for it.",
		}),
	}
	reg.MustRegister(m.requests, m.seconds, m.breaker)
	return m
}

// sent counts one request.
func (m *Metrics) sent(provider string, took time.Duration, result string) {
	if m != nil {
		m.requests.WithLabelValues(provider, result).Inc()
		m.seconds.WithLabelValues(provider).Observe(took.Seconds())
	}
}

// turnedAway counts a request that was not sent.
func (m *Metrics) turnedAway(provider string) {
	if m != nil {
		m.requests.WithLabelValues(provider, "turned_away").Inc()
	}
}

// open notes whether the breaker is open.
func (m *Metrics) open(is bool) {
	switch {
	case m == nil:
	case is:
		m.breaker.Set(1)
	default:
		m.breaker.Set(0)
	}
}
