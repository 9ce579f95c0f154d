package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/guard"
	"github.com/recallerhq/recaller/internal/when"
)

// PINs checks what a caller says that his PIN is; *caller.Service does.
type PINs interface {
	TryPIN(ctx context.Context, tenant recaller.TenantID, in recaller.PINTry, pin string) (recaller.PINTried, error)
}

// Trusting raises the trust of a conversation; *conversation.Service does.
type Trusting interface {
	// Proven notes that the caller of a conversation has proven by a PIN who he is.
	Proven(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, pin string) error
	// SpokenPIN returns the digits that were masked last in what the caller said; empty: none, or nobody knows.
	SpokenPIN(tenant recaller.TenantID, conv recaller.ConversationID) string
	// WithoutPIN masks what is, or may be, the caller's PIN in a text that is to be kept.
	WithoutPIN(tenant recaller.TenantID, conv recaller.ConversationID, text string) string
}

// worded are the arguments whose words are kept.
var worded = []string{"value", "newValue", "summary", "intent", "stagingData"}

// maskPIN masks in what a call would have kept what is masked in the conversation's turns: its agent heard it unmasked.
func (s *Service) maskPIN(x exchange) {
	if !x.caller.HasPIN {
		return
	}
	for _, field := range worded {
		if !x.args.Given(field) {
			continue
		}
		var v any
		dec := json.NewDecoder(bytes.NewReader(x.args[Fold(field)]))
		dec.UseNumber()
		if dec.Decode(&v) != nil {
			continue // whoever reads it refuses it
		}
		masked, some := s.masked(x, v)
		if !some {
			continue
		}
		if raw, err := json.Marshal(masked); err == nil {
			x.args[Fold(field)] = raw
		}
	}
}

// masked returns a JSON value without the PIN, and whether it had one.
func (s *Service) masked(x exchange, v any) (out any, some bool) {
	text := func(said string) (any, bool) {
		out := s.Trusting.WithoutPIN(x.call.Tenant, x.conv.ID, said)
		return out, out != said
	}
	switch v := v.(type) {
	case string:
		return text(v)
	case json.Number:
		if out, some := text(v.String()); some {
			return out, true
		}
	case []any:
		for i := range v {
			var has bool
			v[i], has = s.masked(x, v[i])
			some = some || has
		}
	case map[string]any:
		for key := range v {
			var has bool
			v[key], has = s.masked(x, v[key])
			some = some || has
		}
	}
	return v, some
}

const verifyText = `Check the PIN that the caller has just told, to be sure who speaks.
Call this where your instructions say that the caller has a PIN, once the caller has said it. Do not guess one, do not repeat it aloud, and do not store it.`

const verifySchema = `{
  "type": "object",
  "properties": {
    "pin": {
      "type": "string",
      "description": "What the caller said, in digits or in words (\"4711\", \"four seven one one\"). If what was said is masked, pass the mask as it stands."
    }
  },
  "required": ["pin"],
  "additionalProperties": false
}`

// verifyCaller carries out verify_caller (B1). No record and no error has the PIN.
func (s *Service) verifyCaller(ctx context.Context, x exchange) (Result, error) {
	if x.call.Outside {
		return Result{}, recaller.InvalidField("callSessionId", "is required: a caller is verified in a conversation")
	}
	said, err := x.args.Needed("pin")
	switch {
	case err != nil:
		return Result{}, err
	case x.conv.Trust == recaller.TrustVerified:
		return s.verdict(ctx, x, recaller.ToolNothingToVerify, "The caller is verified already.")
	case !x.caller.HasPIN:
		return s.verdict(ctx, x, recaller.ToolNothingToVerify, "There is no PIN: nothing is to be verified.")
	}
	pin := guard.PIN(said)
	if pin == "" {
		pin = s.Trusting.SpokenPIN(x.call.Tenant, x.conv.ID)
	}
	if pin == "" {
		return Result{}, recaller.InvalidField("pin", "must be the %d to %d digits that the caller said", recaller.MinPIN, recaller.MaxPIN)
	}
	try := recaller.PINTry{Once: x.call.Once, Caller: x.conv.Caller, Conversation: x.conv.ID}
	tried, err := s.PINs.TryPIN(ctx, x.call.Tenant, try, pin)
	if err != nil {
		return Result{}, err
	}
	if !tried.Right {
		return s.verdict(ctx, x, recaller.ToolUnverified, s.wrong(x, tried))
	}
	if err := s.Trusting.Proven(ctx, x.call.Tenant, x.conv, pin); err != nil {
		return Result{}, err
	}
	x.conv.Trust = recaller.TrustVerified
	return s.verdict(ctx, x, recaller.ToolVerified, "The caller is verified: what is private may be told now.")
}

// wrong says no more than that it is not right, and what may be tried yet.
func (s *Service) wrong(x exchange, t recaller.PINTried) string {
	tries := "No try is left in this conversation."
	switch {
	case t.Left > 0 && !t.Until.IsZero():
		tries = "No other try is taken before " + when.Phrase(t.Until.In(x.now.Location()), x.now, false) + "."
	case t.Left == 1:
		tries = "One try is left."
	case t.Left > 1:
		tries = fmt.Sprintf("%d tries are left.", t.Left)
	}
	return "The caller is not verified: that is not right, or may not be tried now. " + tries
}

// Proof says, of a verify_caller, whether it is known now who speaks; nil of other tools.
func (r Result) Proof() *bool {
	switch r.Done {
	case recaller.ToolVerified, recaller.ToolUnverified, recaller.ToolNothingToVerify:
		return &r.Verified
	}
	return nil
}

func (s *Service) verdict(ctx context.Context, x exchange, result, message string) (Result, error) {
	verified := x.conv.Trust == recaller.TrustVerified
	return Result{Done: result, Message: message, Verified: verified}, s.note(ctx, x, result)
}
