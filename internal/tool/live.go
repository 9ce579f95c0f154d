package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/when"
)

// The tools that look back, and keep the state of the call, shaped for one that goes on: the conversation says whose
// they are, and what they answer can be spoken.

// What recall answers at most.
const (
	mostRecalled = 3
	mostSpoken   = 240 // bytes of one text
)

// Recalled is something that was said or is remembered.
type Recalled struct {
	Text    string
	Speaker recaller.Speaker // who said it; empty: nobody's words, but a memory or a summary
	When    string           // in words, as of now in the caller's zone
	Weak    bool             // it is the best there is, but hardly fits
}

// recall carries out recall: earlier conversations, not the one that goes on.
func (s *Service) recall(ctx context.Context, x exchange) (Result, error) {
	query, err := x.args.Needed("query")
	if err != nil {
		return Result{}, err
	}
	if !x.rights.Tells(recaller.TellAllButPrivate) {
		return Result{Done: recaller.ToolRecalled, Recalled: []Recalled{}, Message: nothingFits}, s.note(ctx, x, recaller.ToolRecalled)
	}
	found, err := s.Recall.Recall(ctx, x.call.Tenant, x.conv.Caller, recall.Query{
		Text: query, Limit: mostRecalled, Now: x.now, Exclude: x.conv.ID, Neighbours: -1, Weak: true,
		Private: x.rights.Tells(recaller.TellAll),
	})
	if err != nil {
		return Result{}, err
	}
	res := Result{Done: recaller.ToolRecalled, Recalled: []Recalled{}}
	for _, h := range found.Hits {
		res.Recalled = append(res.Recalled, Recalled{
			Text: spoken(h.Text), Speaker: h.Speaker, When: when.Phrase(h.At, x.now, false), Weak: h.Weak,
		})
	}
	if len(res.Recalled) == 0 {
		res.Message = nothingFits
	}
	return res, s.note(ctx, x, res.Done)
}

const nothingFits = "Nothing that was said before fits this."

// spoken cuts a text to what can be spoken, at a word.
func spoken(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= mostSpoken {
		return text
	}
	end := mostSpoken
	for !utf8.RuneStart(text[end]) {
		end--
	}
	if space := strings.LastIndexByte(text[:end], ' '); space > mostSpoken/2 {
		end = space
	}
	return text[:end] + " …"
}

// readCheckpoint carries out read_checkpoint (H3).
func (s *Service) readCheckpoint(ctx context.Context, x exchange) (Result, error) {
	c, err := s.Memories.CheckpointBeside(ctx, x.call.Tenant, x.conv.Caller, x.conv.ID, x.sight())
	res := Result{Done: recaller.ToolResumed, Checkpoint: &c}
	if errors.Is(err, recaller.NotFound) {
		t, failed := s.Tenants.Tenant(ctx, x.call.Tenant)
		if failed != nil {
			return Result{}, failed
		}
		return Result{Done: recaller.ToolResumed, Message: NothingFound(t)}, s.note(ctx, x, res.Done)
	}
	if err != nil {
		return Result{}, err
	}
	res.Message = "Saved " + when.Phrase(c.LastActivity, x.now, false) + "."
	if c.Source == recaller.CheckpointFound {
		res.Message = "Found in a conversation that ended " + when.Phrase(c.LastActivity, x.now, false) + "."
	}
	return res, s.note(ctx, x, res.Done)
}

// NothingFound says, as H does, that nothing was left unfinished within the window of a tenant.
func NothingFound(t recaller.Tenant) string {
	n, unit := int(t.ResumeWindow/time.Hour), "hour"
	if t.ResumeWindow%time.Hour != 0 {
		n, unit = int(t.ResumeWindow/time.Minute), "minute"
	}
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("No previous conversation found within %d %s", n, unit)
}

// Saved is what is said of a checkpoint that was saved, as H says it.
const Saved = "Conversation state saved successfully"

// saveCheckpoint carries out save_checkpoint (H1, H4).
func (s *Service) saveCheckpoint(ctx context.Context, x exchange) (Result, error) {
	in, err := CheckpointOf(x.args)
	if err != nil {
		return Result{}, err
	}
	_, cleared, err := s.Memories.PutCheckpoint(ctx, x.call.Tenant, x.conv.Caller, in)
	if err != nil {
		return Result{}, err
	}
	res := Result{Done: recaller.ToolSaved, Message: Saved}
	if cleared {
		res.Done = recaller.ToolCleared
	}
	return res, s.note(ctx, x, res.Done)
}

// errStaging is H's answer to staging data that is not JSON.
var errStaging = recaller.Errorf(recaller.Invalid, "Invalid JSON in stagingData parameter")

// CheckpointOf reads the state of a matter from arguments: summary, intent, and stagingData, which is a string of JSON,
// as H has it, or an object, as models send it too. A matter that is completed needs no summary.
func CheckpointOf(args Arguments) (in memory.CheckpointInput, err error) {
	if in.Intent, err = args.Text("intent"); err != nil {
		return in, err
	}
	if in.Summary, err = args.Text("summary"); err != nil {
		return in, err
	}
	if in.Summary == "" && !(recaller.Checkpoint{Intent: in.Intent}).Completed() {
		return in, recaller.InvalidField("summary", "is required")
	}
	in.StagingData, err = staging(args)
	return in, err
}

func staging(args Arguments) (json.RawMessage, error) {
	raw := bytes.TrimSpace(args[Fold("stagingData")])
	if !args.Given("stagingData") || len(raw) == 0 {
		return nil, nil
	}
	if raw[0] != '"' {
		return json.RawMessage(raw), nil
	}
	var text string
	if json.Unmarshal(raw, &text) != nil || text != "" && !json.Valid([]byte(text)) {
		return nil, errStaging
	}
	return json.RawMessage(text), nil
}

// note records a call that wrote no memory.
func (s *Service) note(ctx context.Context, x exchange, result string) error {
	if x.call.Outside {
		return nil
	}
	record := x.record(result)
	record.ID, record.At = s.NewID(), s.Now()
	return s.Store.RecordToolCall(ctx, x.call.Tenant, record)
}
