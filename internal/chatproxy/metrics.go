package chatproxy

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics counts what is asked and kept, and times it. Labels are closed sets.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	memory   prometheus.Histogram
	kept     *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_proxy_requests_total", Help: "Requests through the proxy, by what became of memory, and by status.",
		}, []string{"memory", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "recaller_proxy_request_duration_seconds", Help: "How long requests through the proxy took, the upstream's answer included.",
			Buckets: []float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"memory"}),
		memory: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "recaller_proxy_memory_seconds", Help: "How long a request through the proxy waited for what is remembered.",
			Buckets: []float64{0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1},
		}),
		kept: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_proxy_exchanges_total", Help: "Exchanges through the proxy, by whether they were kept.",
		}, []string{"result"}),
	}
	err := errors.Join(reg.Register(m.requests), reg.Register(m.seconds), reg.Register(m.memory), reg.Register(m.kept))
	if err != nil {
		return nil, fmt.Errorf("register the metrics of the proxy: %w", err)
	}
	return m, nil
}

func (m *metrics) observe(memory string, status int, took time.Duration) {
	m.requests.WithLabelValues(memory, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(memory).Observe(took.Seconds())
}
