// Package relaytest plays the platform's side of a ConversationRelay over a real WebSocket, as Twilio and Telnyx do: it
// opens the socket, says whose it is, tells what a caller says, and reads what is to be spoken. It is for tests, and for
// whoever tries a server without a telephone.
package relaytest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/coder/websocket"
)

// Frame is a frame of the server's.
type Frame struct {
	Type        string `json:"type"`
	Token       string `json:"token"`
	Last        bool   `json:"last"`
	Lang        string `json:"lang"`
	HandoffData string `json:"handoffData"`
}

// Setup says whose a socket is. Empty fields are left out, as Telnyx leaves out Twilio's.
type Setup struct {
	Session       string         `json:"sessionId,omitempty"`
	Account       string         `json:"accountSid,omitempty"`
	Call          string         `json:"callSid,omitempty"`
	CallControlID string         `json:"callControlId,omitempty"`
	CallSessionID string         `json:"callSessionId,omitempty"`
	CallLegID     string         `json:"callLegId,omitempty"`
	From          string         `json:"from"`
	To            string         `json:"to"`
	Direction     string         `json:"direction"`
	Status        string         `json:"callStatus"`
	Parameters    map[string]any `json:"customParameters"`
}

// Twilio is the setup of one of Twilio's calls.
func Twilio(call, token string) Setup {
	return Setup{
		Session: "VX00000000000000000000000000000001", Account: "AC00000000000000000000000000000001", Call: call,
		From: "+15550001111", To: "+15550002222", Direction: "inbound", Status: "RINGING", Parameters: map[string]any{"token": token},
	}
}

// Telnyx is the setup of one of Telnyx's calls.
func Telnyx(call, token string) Setup {
	return Setup{
		Session: "relay-1", CallControlID: call, CallSessionID: "session-1", CallLegID: "leg-1",
		From: "+15550001111", To: "+15550002222", Direction: "inbound", Status: "active", Parameters: map[string]any{"token": token},
	}
}

// Socket is the platform's end of a session. One goroutine may read while another writes.
type Socket struct{ conn *websocket.Conn }

// Dial opens a socket: address begins with ws:// or wss://, or as HTTP does. header has the signature.
func Dial(ctx context.Context, address string, header http.Header) (*Socket, error) {
	conn, res, err := websocket.Dial(ctx, address, &websocket.DialOptions{HTTPHeader: header}) //nolint:bodyclose // the library closes it
	if err != nil {
		if res != nil {
			return nil, fmt.Errorf("the handshake was answered with %d: %w", res.StatusCode, err)
		}
		return nil, fmt.Errorf("open the socket: %w", err)
	}
	return &Socket{conn}, nil
}

// Open opens a socket and says whose it is.
func Open(ctx context.Context, address string, header http.Header, setup Setup) (*Socket, error) {
	s, err := Dial(ctx, address, header)
	if err != nil {
		return nil, err
	}
	return s, s.Setup(ctx, setup)
}

// Send sends anything as a frame.
func (s *Socket) Send(ctx context.Context, frame any) error {
	data, err := json.Marshal(frame)
	if err != nil {
		return fmt.Errorf("write a frame: %w", err)
	}
	return s.Raw(ctx, data)
}

// Raw sends a text as it is.
func (s *Socket) Raw(ctx context.Context, data []byte) error {
	return s.conn.Write(ctx, websocket.MessageText, data)
}

// Setup says whose the socket is.
func (s *Socket) Setup(ctx context.Context, setup Setup) error {
	return s.Send(ctx, struct {
		Type string `json:"type"`
		Setup
	}{"setup", setup})
}

// Say tells what the caller said. Parts of it that were recognised before come first, as they do with partial prompts.
func (s *Socket) Say(ctx context.Context, words, lang string, before ...string) error {
	for _, part := range before {
		if err := s.prompt(ctx, part, lang, false); err != nil {
			return err
		}
	}
	return s.prompt(ctx, words, lang, true)
}

func (s *Socket) prompt(ctx context.Context, words, lang string, last bool) error {
	return s.Send(ctx, map[string]any{"type": "prompt", "voicePrompt": words, "lang": lang, "last": last})
}

// Interrupt tells that the caller spoke over what was said, and what was heard of it. ms is a number or a string.
func (s *Socket) Interrupt(ctx context.Context, heard string, ms any) error {
	return s.Send(ctx, map[string]any{"type": "interrupt", "utteranceUntilInterrupt": heard, "durationUntilInterruptMs": ms})
}

// Press tells of a key.
func (s *Socket) Press(ctx context.Context, digit string) error {
	return s.Send(ctx, map[string]any{"type": "dtmf", "digit": digit})
}

// Complain tells of an error.
func (s *Socket) Complain(ctx context.Context, what string) error {
	return s.Send(ctx, map[string]any{"type": "error", "description": what})
}

// Next reads the server's next frame.
func (s *Socket) Next(ctx context.Context) (Frame, error) {
	_, data, err := s.conn.Read(ctx)
	if err != nil {
		return Frame{}, err
	}
	var f Frame
	if err := json.Unmarshal(data, &f); err != nil {
		return Frame{}, fmt.Errorf("read a frame: %w", err)
	}
	return f, nil
}

// Answer reads frames up to the one that closes an answer, and returns the words and how many frames had some.
func (s *Socket) Answer(ctx context.Context) (words string, pieces int, err error) {
	var said strings.Builder
	for {
		f, err := s.Next(ctx)
		if err != nil {
			return said.String(), pieces, err
		}
		if f.Type != "text" {
			return said.String(), pieces, fmt.Errorf("got a frame %q within an answer", f.Type)
		}
		if f.Token != "" {
			pieces++
		}
		if said.WriteString(f.Token); f.Last {
			return said.String(), pieces, nil
		}
	}
}

// HangUp closes the socket as the platform does when the caller hangs up.
func (s *Socket) HangUp() error { return s.conn.Close(websocket.StatusNormalClosure, "") }

// Drop breaks the connection off.
func (s *Socket) Drop() error { return s.conn.CloseNow() }

// Over reads until the server closes the socket, and says how.
func (s *Socket) Over(ctx context.Context) (code websocket.StatusCode, why string) {
	for {
		_, err := s.Next(ctx)
		if code = websocket.CloseStatus(err); err != nil {
			var closed websocket.CloseError
			if errors.As(err, &closed) {
				why = closed.Reason
			}
			return code, why
		}
	}
}
