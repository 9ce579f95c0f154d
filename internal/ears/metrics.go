package ears

import "github.com/prometheus/client_golang/prometheus"

// Metrics counts what is listened to. Labels are closed sets; nothing names a tenant or a caller.
type Metrics struct {
	live     prometheus.Gauge
	calls    *prometheus.CounterVec
	breaks   *prometheus.CounterVec
	deaf     prometheus.Counter
	unkept   prometheus.Counter
	malforms prometheus.Counter
}

// NewMetrics registers the metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		live: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "recaller_ears_calls", Help: "Forwarded calls that are listened to now.",
		}),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_ears_calls_total", Help: "Forwarded calls that are listened to no more, by the reason.",
		}, []string{"reason"}),
		breaks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_ears_breaks_total", Help: "Breaks of the recogniser's side, by what broke.",
		}, []string{"cause"}),
		deaf: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "recaller_ears_deaf_sides_total", Help: "Sides of calls that could not be listened to any more.",
		}),
		unkept: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "recaller_ears_unkept_turns_total", Help: "Turns that were heard and could not be kept.",
		}),
		malforms: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "recaller_ears_malformed_frames_total", Help: "Frames and messages that could not be read.",
		}),
	}
	reg.MustRegister(m.live, m.calls, m.breaks, m.deaf, m.unkept, m.malforms)
	return m
}
