package wrapup

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/recallerhq/recaller"
)

// What every question to a model has (W9). An answer may have so many tokens: scripts other than Latin take several to
// a word, and some models think first. Not every model takes more.
const (
	temperature = 0.3
	maxTokens   = 4096
)

// maxParts bounds in how many parts a conversation goes to the model. At the default window that is a day of talk
// without a pause. The rules write up what is longer.
const maxParts = 32

// settling bounds the wait for the store when the cost of a question is written down.
const settling = 5 * time.Second

// model writes a wrap-up with a language model, and with the rules if the model's answers are of no use.
type model struct {
	*Service
	rules rules
}

// instead tells why the rules do the model's part after an error. It returns the error itself if the step is to be
// tried again.
func instead(w work, err error) (reason string, _ error) {
	f, away := failed(err)
	switch {
	case f == nil: // the store's
		return "", err
	case !away:
		return f.reason, nil
	case lastsWithProcess(w):
		return ReasonAway, nil
	}
	return "", err
}

// lastsWithProcess reports whether the words may be gone when the model is asked later (spec 2.7).
func lastsWithProcess(w work) bool { return w.tenant.Retention == recaller.Ephemeral }

// trusted reports whether the model may write in its own words. If that is not known yet the model is examined, at the
// cost of the step that asks.
func (m model) trusted(ctx context.Context, w work, step recaller.Step) (bool, error) {
	trusted, told, cost, err := m.record.Trusted(ctx, m.Model)
	if told != nil {
		m.Log.Info("model examined", "model", m.Model.Model(), "passed", told.Passed, "fault", told.Fault)
	}
	if charged := m.charge(ctx, w, step, cost); charged != nil {
		return false, charged
	}
	if err != nil {
		return false, &failure{reason: ReasonAway, away: true, err: err}
	}
	return trusted, nil
}

// complaint is what is wrong with an answer, and what a model is told before it is asked once more.
type complaint struct{ reason, note string }

// consult asks the model until read has no complaint about the answer, twice at most. If there still is one, that is a
// failure which asking later would not mend.
func (m model) consult(
	ctx context.Context, w work, step recaller.Step, q recaller.Ask, read func(recaller.Answer) *complaint,
) error {
	tries := 2
	if lastsWithProcess(w) {
		tries = 1
	}
	system := q.System
	var bad *complaint
	for range tries {
		a, err := m.ask(ctx, w, step, q)
		if f, away := failed(err); err != nil && (f == nil || away || f.room != 0) {
			return err
		}
		if err != nil {
			bad = &complaint{ReasonRefused, "Answer with JSON only."}
			q.Schema = nil // which some endpoints take for the fault
		} else if bad = read(a); bad == nil {
			return nil
		}
		q.System = system + "\n\n" + bad.note
	}
	return &failure{reason: bad.reason, err: recaller.Errorf(recaller.Invalid, "the model's answers are of no use")}
}

// ask puts one question to the model, and writes down what it cost, whatever came of it (B12).
func (m model) ask(ctx context.Context, w work, step recaller.Step, q recaller.Ask) (recaller.Answer, error) {
	q.Temperature, q.MaxTokens = temperature, maxTokens
	a, err := m.Model.Ask(ctx, q)
	if cost := m.charge(ctx, w, step, a.Cost); cost != nil {
		return a, cost
	}
	if err == nil {
		return a, nil
	}
	var full interface{ Overflow() (tokens int, ok bool) }
	if errors.As(err, &full) {
		if room, ok := full.Overflow(); ok {
			return a, &failure{reason: ReasonTooLong, room: cmp.Or(room, -1), err: err}
		}
	}
	if recaller.KindOf(err) == recaller.Invalid {
		return a, &failure{reason: ReasonRefused, err: err}
	}
	return a, &failure{reason: ReasonAway, away: true, err: err}
}

// charge adds to the step's cost. It does so even if nobody waits for the step any more, because the tokens are spent.
func (m model) charge(ctx context.Context, w work, step recaller.Step, cost recaller.Cost) error {
	if cost == (recaller.Cost{}) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settling)
	defer cancel()
	return m.Store.AddCost(ctx, w.tenant.ID, w.conv, step, cost)
}

// leastWindow is the narrowest window, in bytes. Less holds no question with its answer.
const leastWindow = 1 << 10

// What a question takes of a model's room beside the conversation, in tokens, and how many bytes a token has at least.
const (
	frameTokens = 1500
	tokenBytes  = 3
)

// fitting calls do, which asks about a conversation. While that is more than the model has room for, it calls do again
// with a narrower window.
func (m model) fitting(do func(window int) error) error {
	for {
		now := m.window.Load()
		err := do(int(now))
		f, _ := failed(err)
		if f == nil || f.room == 0 {
			return err
		}
		next := now / 2
		if room := int64(f.room-frameTokens) * tokenBytes; f.room > 0 && room < now {
			next = max(room, leastWindow)
		}
		if next < leastWindow {
			return err
		}
		m.window.CompareAndSwap(now, next)
	}
}

// heard reports whether the caller said anything at all.
func heard(turns []recaller.Turn) bool {
	for _, t := range turns {
		if t.Speaker == recaller.User && t.Text != "" {
			return true
		}
	}
	return false
}

func unreadable() *complaint {
	return &complaint{ReasonUnreadable, "An earlier answer could not be read. Answer with the JSON that is asked for, " +
		"and with nothing else."}
}

func tooLong() error {
	err := recaller.Errorf(recaller.Invalid, "the conversation is too long for the model")
	return &failure{reason: ReasonTooLong, err: err}
}
