package mcpserver

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics counts what is asked and times it. Labels are closed sets.
type metrics struct {
	seconds *prometheus.HistogramVec
	calls   *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "recaller_mcp_request_duration_seconds", Help: "How long requests over MCP took.",
			Buckets: []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5},
		}, []string{"method", "status"}),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_mcp_tool_calls_total", Help: "Calls of tools over MCP, by how they went.",
		}, []string{"tool", "result"}),
	}
	if err := errors.Join(reg.Register(m.seconds), reg.Register(m.calls)); err != nil {
		return nil, fmt.Errorf("register the metrics of MCP: %w", err)
	}
	return m, nil
}

func (m *metrics) observe(method string, status int, took time.Duration) {
	m.seconds.WithLabelValues(method, strconv.Itoa(status)).Observe(took.Seconds())
}
