package notify

import "github.com/prometheus/client_golang/prometheus"

// The results that are counted.
const (
	resultDelivered = "delivered"
	resultFailed    = "failed" // one try; there will be another
	resultDead      = "dead"
	resultOver      = "over" // there is nothing to tell any more
)

// Metrics counts what becomes of deliveries. Labels are closed sets; nothing here names a tenant or a caller.
type Metrics struct {
	results  *prometheus.CounterVec
	lateness prometheus.Histogram
}

// NewMetrics registers the metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		results: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_webhook_deliveries_total", Help: "What became of webhook deliveries but reminders; failed counts tries.",
		}, []string{"result"}),
		lateness: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "recaller_webhook_lateness_seconds", Help: "How long after they happened events were delivered.",
			Buckets: []float64{0.1, 0.5, 1, 5, 15, 60, 300, 1800, 7200, 43200},
		}),
	}
	for _, r := range []string{resultDelivered, resultFailed, resultDead, resultOver} {
		m.results.WithLabelValues(r)
	}
	reg.MustRegister(m.results, m.lateness)
	return m
}

func (m *Metrics) count(result string) { m.results.WithLabelValues(result).Inc() }
