package reminder

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller/internal/notify"
)

// The results that are counted.
const (
	resultDelivered = "delivered"
	resultFailed    = "failed" // one try; there will be another
	resultCancelled = "cancelled"
	resultDead      = "dead"
)

// NewMetrics registers the metrics of reminders.
func NewMetrics(reg prometheus.Registerer) *notify.Metrics {
	return notify.Count(reg, notify.Counted{
		Total: "recaller_reminders_total", TotalHelp: "What became of reminders; failed counts tries.",
		Lateness: "recaller_reminder_lateness_seconds", LatenessHelp: "How long after they came due reminders were delivered.",
		Results: []string{resultDelivered, resultFailed, resultCancelled, resultDead},
	})
}
