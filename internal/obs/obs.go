// Package obs makes the logger and the metrics registry that the rest is handed. Logs hold ids, closed-set labels,
// counts and times, never what people said, names, numbers or secrets; metrics are labelled from closed sets only,
// never by tenant or caller.
//
// It is not where metrics are declared: each package declares its own in its metrics.go, on the registry it is given.
package obs

import (
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// The keys of attributes that are the same in every log line of ours.
const (
	KeyTenant       = "tenant"
	KeyCaller       = "caller"
	KeyConversation = "conversation"
	KeyJob          = "job"
	KeyKind         = "kind"
	KeyDuration     = "dur_ms"
	KeyError        = "err"
)

const (
	scrapesAtOnce = 4
	scrapeTimeout = 10 * time.Second
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
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), build)
	return r
}

// MetricsHandler serves the registry's metrics. Scrapes are bounded in number and time; a collector that fails is
// logged and the others are served.
func MetricsHandler(r *prometheus.Registry, log *slog.Logger) http.Handler {
	return promhttp.InstrumentMetricHandler(r, promhttp.HandlerFor(r, promhttp.HandlerOpts{
		ErrorLog:            errorLog{log},
		ErrorHandling:       promhttp.ContinueOnError,
		MaxRequestsInFlight: scrapesAtOnce,
		Timeout:             scrapeTimeout,
	}))
}

// errorLog is the logger that promhttp wants.
type errorLog struct{ log *slog.Logger }

func (l errorLog) Println(v ...any) {
	for _, x := range v {
		if err, ok := x.(error); ok {
			l.log.Error("metrics could not be gathered", KeyError, err)
		}
	}
}
