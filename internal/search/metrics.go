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

	queries      *prometheus.CounterVec
	querySeconds prometheus.Histogram
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
			Name: "recaller_embeddings_total", Help: "Embeddings of conversations and documents: done, or why not.",
		}, []string{"result"}),
		queries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_document_queries_total",
			Help: "Searches over a tenant's documents: found, nothing, degraded (answered by words alone), refused, failed.",
		}, []string{"result"}),
		querySeconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "recaller_document_query_duration_seconds", Help: "How long searches over a tenant's documents took.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 12),
		}),
	}
	reg.MustRegister(m.searches, m.seconds, m.embeddings, m.queries, m.querySeconds)
	return m
}

// searched counts a search.
func (m *Metrics) searched(r Result, err error, took time.Duration) {
	result := outcome(len(r.Found), r.Degraded, err)
	m.searches.WithLabelValues(result).Inc()
	if result != "refused" {
		m.seconds.Observe(took.Seconds())
	}
}

// queried counts a search over documents.
func (m *Metrics) queried(found int, degraded string, err error, took time.Duration) {
	result := outcome(found, degraded, err)
	m.queries.WithLabelValues(result).Inc()
	if result != "refused" {
		m.querySeconds.Observe(took.Seconds())
	}
}

func outcome(found int, degraded string, err error) string {
	switch {
	case recaller.KindOf(err) == recaller.Invalid:
		return "refused"
	case err != nil:
		return "failed"
	case degraded != "":
		return "degraded"
	case found == 0:
		return "nothing"
	}
	return "found"
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
