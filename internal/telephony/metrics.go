package telephony

import (
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
)

// platform says who asks, as far as the headers show.
type platform string

const (
	twilio  platform = "twilio"
	telnyx  platform = "telnyx"
	unknown platform = "unknown"
)

// kind says what for.
type kind string

const (
	kindVoice  kind = "voice"
	kindEnded  kind = "call-ended"
	kindText   kind = "message"
	kindSocket kind = "socket"
	kindOther  kind = "other"

	kindTextStatus kind = "message-status"
)

// texts reports whether it is about texts.
func (k kind) texts() bool { return k == kindText || k == kindTextStatus }

// result says what became of it.
type result string

const (
	resultAnswered    result = "answered"       // as the tenant chose
	resultDegraded    result = "degraded"       // as the tenant chose, without what is stored
	resultReplayed    result = "replayed"       // its socket came, or could have, already
	resultNobody      result = "unknown_number" // no tenant has the number that was called
	resultUnavailable result = "unavailable"    // the store did not say in time whose call it is, or how it ended
	resultEnded       result = "ended"
	resultText        result = "text"    // it is kept
	resultCommand     result = "command" // it told the number something, which is carried out
	resultStatus      result = "status"
	resultRefused     result = "refused" // it is no text that can be kept
	resultRecorded    result = "recorded"
	resultKept        result = "kept"    // the call is not known yet, or the store is away: carried out later
	resultIgnored     result = "ignored" // nothing that counts here: a call that rings, a recording that begins
	resultSocket      result = "socket"
	resultNoKey       result = "no_api_key" // an event of Telnyx's, and no key to answer it with
	resultForged      result = "forged"
	resultMalformed   result = "malformed"
	resultBusy        result = "busy"
	resultUnknownPath result = "unknown_path"
	resultFailed      result = "failed"
)

// metrics counts what platforms ask, and times it. Labels are closed sets.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	dropped  prometheus.Counter
	refused  prometheus.Counter

	deliveries   *prometheus.CounterVec
	textsDropped prometheus.Counter
}

func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_telephone_requests_total", Help: "Requests of telephone platforms, by platform, webhook and what became of them.",
		}, []string{"platform", "webhook", "result"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "recaller_telephone_answer_seconds", Help: "How long a telephone platform waited for the answer to a webhook.",
			Buckets: []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10},
		}, []string{"webhook"}),
		dropped: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "recaller_telephone_ends_dropped_total", Help: "Ends of calls that were told, and given up because the call did not become known.",
		}),
		refused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "recaller_telephone_commands_failed_total", Help: "Commands about calls that Telnyx did not take.",
		}),
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_telephone_texts_delivered_total", Help: "What carriers told of texts that went out, by carrier and status.",
		}, []string{"carrier", "status"}),
		textsDropped: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "recaller_telephone_texts_dropped_total", Help: "Texts that were not acknowledged, could not be kept for an hour, and are given up.",
		}),
	}
	if err := errors.Join(reg.Register(m.requests), reg.Register(m.seconds), reg.Register(m.dropped), reg.Register(m.refused),
		reg.Register(m.deliveries), reg.Register(m.textsDropped)); err != nil {
		return nil, fmt.Errorf("register the metrics of the telephone: %w", err)
	}
	return m, nil
}

func (m *metrics) observe(p platform, k kind, r result, took time.Duration) {
	m.requests.WithLabelValues(string(p), string(k), string(r)).Inc()
	if k == kindVoice || k == kindEnded || k == kindText {
		m.seconds.WithLabelValues(string(k)).Observe(took.Seconds())
	}
}

// delivery counts what a carrier told of a text.
func (m *metrics) delivery(by recaller.Carrier, status string) {
	switch status {
	case "queued", "accepted", "sending", "sent", "delivered", "undelivered", "failed", "read",
		"delivery_failed", "sending_failed", "delivery_unconfirmed":
	default:
		status = "other"
	}
	m.deliveries.WithLabelValues(string(by), status).Inc()
}
