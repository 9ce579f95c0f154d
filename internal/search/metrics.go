package search

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
)

// Metrics counts what is searched and embedded. Labels are closed sets.
type Metrics struct {
	searches   *prometheus.CounterVec
	seconds    prometheus.Histogram
	embeddings *prometheus.CounterVec
}

// NewMetrics registers the metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		searches: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_searches_total",
			Help: "Searches over a tenant's conversations: found, nothing, degraded (answered by words alone), " +
				"refused, failed.",
		}, []string{"result"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "recaller_search_duration_seconds", Help: "How long searches over a tenant's conversations took.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 12),
		}),
		embeddings: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_embeddings_total", Help: "Embeddings of conversations: done, or why not.",
		}, []string{"result"}),
	}
	reg.MustRegister(m.searches, m.seconds, m.embeddings)
	return m
}

// searched counts a search.
func (m *Metrics) searched(r Result, err error, took time.Duration) {
	result := "found"
	switch {
	case recaller.KindOf(err) == recaller.Invalid:
		result = "refused"
	case err != nil:
		result = "failed"
	case r.Degraded != "":
		result = "degraded"
	case len(r.Found) == 0:
		result = "nothing"
	}
	m.searches.WithLabelValues(result).Inc()
	if result != "refused" {
		m.seconds.Observe(took.Seconds())
	}
}

// embedded counts an embedding of a conversation.
func (m *Metrics) embedded(err error) {
	var f *EmbedError
	switch {
	case err == nil:
		m.embeddings.WithLabelValues("done").Inc()
	case errors.As(err, &f):
		m.embeddings.WithLabelValues(f.reason).Inc()
	}
}
