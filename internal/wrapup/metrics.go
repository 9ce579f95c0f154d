package wrapup

import "github.com/prometheus/client_golang/prometheus"

// Metrics counts what wrap-up does. Labels are closed sets.
type Metrics struct {
	steps       *prometheus.CounterVec
	seconds     *prometheus.HistogramVec
	extracted   prometheus.Histogram
	stored      prometheus.Counter
	unsupported prometheus.Counter
	unreadable  prometheus.Counter
	untold      prometheus.Counter
	fallbacks   *prometheus.CounterVec
}

// NewMetrics registers the metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	m := &Metrics{
		steps: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_wrapup_steps_total", Help: "Wrap-up steps, by how they ended.",
		}, []string{"step", "state"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "recaller_wrapup_step_duration_seconds", Help: "How long wrap-up steps took.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 4, 9),
		}, []string{"step"}),
		extracted: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "recaller_memories_extracted", Help: "Memories found in one conversation.",
			Buckets: []float64{0, 1, 2, 5, 10, 20, 50},
		}),
		stored: counter("recaller_memories_extracted_stored_total",
			"Memories found in conversations that were new."),
		unsupported: counter("recaller_memories_unsupported_total",
			"Memories that a model claimed and that the caller's words do not carry."),
		unreadable: counter("recaller_memories_unreadable_total",
			"Entries of a model's answers that could not be read."),
		untold: counter("recaller_summary_lines_unsupported_total",
			"Lines of a model's summaries with names or numbers that nobody said."),
		fallbacks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_wrapup_fallbacks_total", Help: "Steps that the rules did in the model's stead, by why.",
		}, []string{"reason"}),
	}
	reg.MustRegister(m.steps, m.seconds, m.extracted, m.stored, m.unsupported, m.unreadable, m.untold, m.fallbacks)
	return m
}
