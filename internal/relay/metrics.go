package relay

import (
	"errors"
	"fmt"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus"
)

// reason says why a socket is over.
type reason string

const (
	hungUp    reason = "hung_up"       // the caller hung up, or the platform ended the session
	agentHung reason = "agent_hung_up" // the agent did
	ended     reason = "ended"         // the conversation had ended by another door
	dropped   reason = "dropped"       // the connection broke off
	silent    reason = "silent"        // nothing answered a ping
	slow      reason = "slow"          // what was sent was not taken
	flood     reason = "flood"         // too many frames
	tooLarge  reason = "too_large"     // a frame was
	draining  reason = "draining"      // the server stops
	crashed   reason = "crashed"       // a defect of ours

	noSocket  reason = "no_socket" // the request was no handshake
	noSetup   reason = "no_setup"  // in time
	malformed reason = "malformed" // the first frame was no setup
	forged    reason = "forged"    // no token, not its call's, or one that was taken
)

// well reports whether a call ended as calls do.
func (r reason) well() bool { return r == hungUp || r == agentHung || r == ended }

// code is how the platform is told.
func (r reason) code() websocket.StatusCode {
	switch r {
	case draining:
		return websocket.StatusGoingAway
	case tooLarge:
		return websocket.StatusMessageTooBig
	case crashed:
		return websocket.StatusInternalError
	}
	if r.well() {
		return websocket.StatusNormalClosure
	}
	return websocket.StatusPolicyViolation
}

// metrics counts sessions and frames. Labels are closed sets.
type metrics struct {
	sessions *prometheus.CounterVec
	open     prometheus.Gauge
	frames   *prometheus.CounterVec
	lost     prometheus.Counter
}

func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		sessions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_relay_sessions_total", Help: "Sockets of ConversationRelay that are over, by why.",
		}, []string{"result"}),
		open: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "recaller_relay_sessions", Help: "Calls over ConversationRelay that go on.",
		}),
		frames: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_relay_frames_total", Help: "Frames of ConversationRelay that came, by type.",
		}, []string{"type"}),
		lost: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "recaller_relay_turns_lost_total", Help: "Turns of calls over ConversationRelay that could not be kept.",
		}),
	}
	if err := errors.Join(reg.Register(m.sessions), reg.Register(m.open), reg.Register(m.frames), reg.Register(m.lost)); err != nil {
		return nil, fmt.Errorf("register the metrics of relays: %w", err)
	}
	return m, nil
}

func (m *metrics) over(why reason) { m.sessions.WithLabelValues(string(why)).Inc() }

// came counts a frame. Types that are not known are one.
func (m *metrics) came(kind string) {
	switch kind {
	case typeSetup, typePrompt, typePartial, typeInterrupt, typeDTMF, typeError, typeMalformed:
	default:
		kind = "other"
	}
	m.frames.WithLabelValues(kind).Inc()
}

// Two more types, by which frames are counted.
const (
	typePartial   = "partial"
	typeMalformed = "malformed"
)
