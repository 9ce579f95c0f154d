package webchat

import (
	"errors"
	"fmt"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus"
)

// reason says why a socket or a stream is over, or what became of a request.
type reason string

const (
	left     reason = "left"      // the visitor closed it
	dropped  reason = "dropped"   // the connection broke off
	silent   reason = "silent"    // nothing answered a ping
	slow     reason = "slow"      // what was sent was not taken
	flood    reason = "flood"     // too many frames
	tooLarge reason = "too_large" // a frame was
	lapsed   reason = "lapsed"    // the token of who was signed in
	draining reason = "draining"  // the server stops
	crashed  reason = "crashed"   // a defect of ours

	noSocket    reason = "no_socket"     // the request was no handshake
	noHello     reason = "no_hello"      // in time
	malformed   reason = "malformed"     // what came could not be read
	forged      reason = "forged"        // the token is not one of this chat's
	origin      reason = "origin"        // the tenant does not list it
	nobody      reason = "no_chat"       // no tenant has a chat there
	tooMany     reason = "too_many"      // sockets and streams
	tooManyTabs reason = "too_many_tabs" // of one visitor
	tooFast     reason = "too_fast"      // hellos or messages, of one visitor or address

	kept        reason = "kept"
	held        reason = "held"     // the store is away: it is written when that is back
	repeated    reason = "repeated" // it had been kept before
	tooLong     reason = "too_long"
	refused     reason = "refused" // by the use case
	unavailable reason = "unavailable"
	failed      reason = "failed"
)

// Error makes a reason the cause of an end.
func (r reason) Error() string { return string(r) }

// Codes of closed sockets beside those of RFC 6455.
const (
	codeToken  websocket.StatusCode = 4401 // another token is needed
	codeOften  websocket.StatusCode = 4429 // come back later
	codeOrigin websocket.StatusCode = 4403
)

// code is how a browser is told.
func (r reason) code() websocket.StatusCode {
	switch r {
	case left:
		return websocket.StatusNormalClosure
	case draining:
		return websocket.StatusGoingAway
	case tooLarge:
		return websocket.StatusMessageTooBig
	case crashed:
		return websocket.StatusInternalError
	case forged, lapsed:
		return codeToken
	case tooMany, tooManyTabs, tooFast, flood:
		return codeOften
	case origin:
		return codeOrigin
	}
	return websocket.StatusPolicyViolation
}

// metrics counts sockets, streams and messages. Labels are closed sets.
type metrics struct {
	sockets  *prometheus.CounterVec
	open     *prometheus.GaugeVec
	messages *prometheus.CounterVec
	refused  *prometheus.CounterVec
	lost     prometheus.Counter
}

func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		sockets: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_web_chat_connections_total", Help: "Sockets and streams of the web chat that are over, by why.",
		}, []string{"kind", "result"}),
		open: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "recaller_web_chat_connections", Help: "Sockets and streams of the web chat that are open.",
		}, []string{"kind"}),
		messages: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_web_chat_messages_total", Help: "Messages of visitors, by what became of them.",
		}, []string{"result"}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_web_chat_refused_total", Help: "Requests to the web chat that were refused, by why.",
		}, []string{"reason"}),
		lost: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "recaller_web_chat_answers_lost_total", Help: "Answers that visitors saw and that could not be kept.",
		}),
	}
	err := errors.Join(reg.Register(m.sockets), reg.Register(m.open), reg.Register(m.messages), reg.Register(m.refused), reg.Register(m.lost))
	if err != nil {
		return nil, fmt.Errorf("register the metrics of the web chat: %w", err)
	}
	return m, nil
}

func (m *metrics) ended(kind string, why reason) { m.sockets.WithLabelValues(kind, string(why)).Inc() }
func (m *metrics) message(what reason)           { m.messages.WithLabelValues(string(what)).Inc() }
func (m *metrics) refuse(why reason)             { m.refused.WithLabelValues(string(why)).Inc() }

// The kinds of connections.
const (
	kindSocket = "socket"
	kindStream = "stream"
)
