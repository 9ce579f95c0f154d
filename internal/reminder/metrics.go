package reminder

import "github.com/prometheus/client_golang/prometheus"

// The results that are counted.
const (
	resultDelivered = "delivered"
	resultFailed    = "failed" // one try; there will be another
	resultCancelled = "cancelled"
	resultDead      = "dead"
)

// Metrics counts what reminders do. Labels are closed sets; nothing here names a tenant or a caller.
type Metrics struct {
	results  *prometheus.CounterVec
	lateness prometheus.Histogram
}

// NewMetrics registers the metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		results: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_reminders_total", Help: "What became of reminders; failed counts tries.",
		}, []string{"result"}),
		lateness: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "recaller_reminder_lateness_seconds", Help: "How long after they came due reminders were delivered.",
			Buckets: []float64{0.1, 0.5, 1, 5, 15, 60, 300, 1800, 7200, 43200},
		}),
	}
	for _, r := range []string{resultDelivered, resultFailed, resultCancelled, resultDead} {
		m.results.WithLabelValues(r)
	}
	reg.MustRegister(m.results, m.lateness)
	return m
}

func (m *Metrics) count(result string) { m.results.WithLabelValues(result).Inc() }
