package refresh

import "github.com/prometheus/client_golang/prometheus"

// Metrics counts what refreshing does. Nothing here names a tenant or a caller.
type Metrics struct {
	seconds  prometheus.Histogram
	failures prometheus.Counter
}

// NewMetrics registers the metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "recaller_refresh_duration_seconds",
			Help:    "From the change of a memory to the briefing for listeners that has it.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 14),
		}),
		failures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "recaller_refresh_failures_total",
			Help: "Briefings for listeners that could not be made; the call went on.",
		}),
	}
	reg.MustRegister(m.seconds, m.failures)
	return m
}
