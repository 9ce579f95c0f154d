// Package obs makes the logger and the metrics registry for everything else. Logs hold ids, closed-set labels, counts
// and times, never what people said, names, numbers or secrets. Metrics have labels from closed sets only, never tenant
// or caller.
//
// It declares no metrics: each package declares its own in its metrics.go, on the registry that it gets.
package obs

import (
	"io"
	"log/slog"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Logger returns a logger that writes lines of the format, "json" or else text, to w. Times are in UTC. Each line is
// one write, so lines of many goroutines do not mix.
func Logger(w io.Writer, level slog.Leveler, format string) *slog.Logger {
	opts := &slog.HandlerOptions{Level: level, ReplaceAttr: utc}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}

func utc(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey && a.Value.Kind() == slog.KindTime {
		a.Value = slog.TimeValue(a.Value.Time().UTC())
	}
	return a
}

// NewRegistry returns a registry that has the metrics of the Go runtime and of the process, and recaller_build_info.
func NewRegistry(version string) *prometheus.Registry {
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name:        "recaller_build_info",
		Help:        "Always 1; the labels tell the version of Recaller and of Go.",
		ConstLabels: prometheus.Labels{"version": version, "go_version": runtime.Version()},
	})
	build.Set(1)
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		build)
	return r
}
