package bridge

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics counts what bridges do. Labels are closed sets; nothing names a tenant or a caller.
type Metrics struct {
	live     prometheus.Gauge
	calls    *prometheus.CounterVec
	breaks   *prometheus.CounterVec
	cuts     *prometheus.CounterVec
	unkept   prometheus.Counter
	toModel  prometheus.Observer
	toPhone  prometheus.Observer
	malforms prometheus.Counter
}

// NewMetrics registers the metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	added := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "recaller_bridge_added_seconds",
		Help:    "How long audio was in the bridge: from the read of one socket to the write to the other.",
		Buckets: []float64{0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.2},
	}, []string{"to"})
	m := &Metrics{
		live: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "recaller_bridge_calls", Help: "Calls that are bridged now.",
		}),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_bridge_calls_total", Help: "Bridged calls that are over, by the reason.",
		}, []string{"reason"}),
		breaks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_bridge_breaks_total", Help: "Breaks of the model's side, by what broke.",
		}, []string{"cause"}),
		cuts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_bridge_cuts_total", Help: "How often playback was cut off, by why.",
		}, []string{"why"}),
		unkept: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "recaller_bridge_unkept_turns_total", Help: "Turns that could not be kept.",
		}),
		malforms: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "recaller_bridge_malformed_frames_total", Help: "Frames and events that could not be read.",
		}),
		toModel: added.WithLabelValues("model"), toPhone: added.WithLabelValues("phone"),
	}
	reg.MustRegister(m.live, m.calls, m.breaks, m.cuts, m.unkept, m.malforms, added)
	return m
}

func observe(o prometheus.Observer, since, now time.Time) {
	if !since.IsZero() {
		o.Observe(max(0, now.Sub(since)).Seconds())
	}
}
