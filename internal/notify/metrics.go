package notify

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// The results that are counted.
const (
	resultDelivered = "delivered"
	resultFailed    = "failed" // one try; there will be another
	resultDead      = "dead"
	resultOver      = "over" // there is nothing to tell any more
)

// Metrics counts what becomes of what is delivered to webhooks. Labels are closed sets; nothing here names a tenant or a
// caller.
type Metrics struct {
	results  *prometheus.CounterVec
	lateness prometheus.Histogram
}

// Counted says what is counted, and how it is called.
type Counted struct {
	Total, TotalHelp       string
	Lateness, LatenessHelp string
	Results                []string // all that there are: each is there from the beginning
}

// NewMetrics registers the metrics of events.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	return Count(reg, Counted{
		Total: "recaller_webhook_deliveries_total", TotalHelp: "What became of webhook deliveries but reminders; failed counts tries.",
		Lateness: "recaller_webhook_lateness_seconds", LatenessHelp: "How long after they happened events were delivered.",
		Results: []string{resultDelivered, resultFailed, resultDead, resultOver},
	})
}

// Count registers metrics of something that is delivered.
func Count(reg prometheus.Registerer, c Counted) *Metrics {
	m := &Metrics{
		results: prometheus.NewCounterVec(prometheus.CounterOpts{Name: c.Total, Help: c.TotalHelp}, []string{"result"}),
		lateness: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: c.Lateness, Help: c.LatenessHelp, Buckets: []float64{0.1, 0.5, 1, 5, 15, 60, 300, 1800, 7200, 43200},
		}),
	}
	for _, r := range c.Results {
		m.results.WithLabelValues(r)
	}
	reg.MustRegister(m.results, m.lateness)
	return m
}

// Add counts one of a result.
func (m *Metrics) Add(result string) { m.results.WithLabelValues(result).Inc() }

// Late notes how late something was delivered.
func (m *Metrics) Late(by time.Duration) { m.lateness.Observe(by.Seconds()) }
