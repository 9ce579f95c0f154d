package httpapi

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics measures requests. Labels are closed sets: route templates, methods, classes of status.
type metrics struct {
	duration *prometheus.HistogramVec
	streams  prometheus.Gauge
}

func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "recaller_http_request_duration_seconds",
			Help:    "How long requests took, by route, method and class of status. Event streams are left out.",
			Buckets: []float64{.0005, .001, .002, .005, .01, .02, .05, .1, .25, .5, 1, 2.5, 10},
		}, []string{"route", "method", "status"}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "recaller_http_event_streams", Help: "Event streams that are open.",
		}),
	}
	return m, errors.Join(reg.Register(m.duration), reg.Register(m.streams))
}

func (m *metrics) observe(route, method string, status int, took time.Duration) {
	m.duration.WithLabelValues(route, methodOf(method), class(status)).Observe(took.Seconds())
}

// class is the class of a status: 2xx.
func class(status int) string {
	switch status / 100 {
	case 1:
		return "1xx"
	case 2:
		return "2xx"
	case 3:
		return "3xx"
	case 4:
		return "4xx"
	}
	return "5xx"
}
