package briefing

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/when"
)

// Bounds of what resume tells.
const (
	maxStaging    = 20 // lines of staging data
	maxDepth      = 3  // of nested staging data
	maxWords      = 8  // last turns of a conversation that broke off
	maxWordsAfter = 4  // the same where a checkpoint tells the matter
)

// resumable is what the caller may want to carry on with. Either may be nil.
type resumable struct {
	checkpoint *recaller.Checkpoint
	broken     *recaller.BrokenOff
	open       bool // the broken conversation was never ended
	now        bool // the checkpoint was saved in the live conversation: it is no matter to come back to
}

// disconnected reports whether the line probably dropped. An open chat does not drop.
func (r resumable) disconnected() bool {
	return r.broken != nil && !(r.open && r.broken.Conversation.Channel.Text())
}

// openBeside picks the conversation that is open beside the live one. Of those that began before it, it takes the one
// with the latest activity. A later call of the caller's does not make the live one a broken one.
func openBeside(all []recaller.BrokenOff, live recaller.ConversationID) (open *recaller.BrokenOff) {
	at := slices.IndexFunc(all, func(b recaller.BrokenOff) bool { return live != "" && b.Conversation.ID == live })
	for i := range all {
		b := &all[i]
		switch {
		case i == at, at >= 0 && later(b.Conversation, all[at].Conversation):
		case open == nil, lastSign(b).After(lastSign(open)):
			open = b
		}
	}
	return open
}

// liveSince returns when the live conversation began.
func liveSince(all []recaller.BrokenOff, live recaller.ConversationID) (since time.Time, ok bool) {
	for _, b := range all {
		if live != "" && b.Conversation.ID == live {
			return b.Conversation.StartedAt, true
		}
	}
	return since, false
}

func later(a, b recaller.Conversation) bool {
	return cmp.Or(a.StartedAt.Compare(b.StartedAt), cmp.Compare(a.ID, b.ID)) > 0
}

// lastSign returns when something was last heard in a conversation.
func lastSign(b *recaller.BrokenOff) time.Time {
	if n := len(b.Turns); n > 0 && b.Turns[n-1].At.After(brokeAt(b.Conversation)) {
		return b.Turns[n-1].At
	}
	return brokeAt(b.Conversation)
}

// resumable applies the tenant's window (H3). A checkpoint marked completed clears the matter (H4), and with it the
// conversation in which it was completed.
func (c *composer) resumable() resumable {
	var r resumable
	window := c.snap.Tenant.ResumeWindow
	cp, broken := c.snap.Checkpoint, c.snap.BrokenOff
	if c.open != nil && telling(c.open) && !c.overtaken() {
		broken, r.open = c.open, true
	}
	done := cp != nil && cp.Completed()
	if cp != nil && !done && c.now.Sub(cp.LastActivity) <= window {
		r.checkpoint = cp
		if since, ok := liveSince(c.snap.Open, c.live); ok && !cp.LastActivity.Before(since) {
			r.now = true // whatever broke off before is in it, or is another matter
			return r
		}
	}
	if broken == nil || !telling(broken) || c.now.Sub(lastSign(broken)) > window {
		return r
	}
	if !done || cp.LastActivity.Before(broken.Conversation.StartedAt) {
		r.broken = broken
	}
	return r
}

// overtaken reports whether the caller has spoken with the agent since the open conversation fell silent.
func (c *composer) overtaken() bool {
	return len(c.snap.History) > 0 && later(c.snap.History[0], c.open.Conversation) &&
		brokeAt(c.snap.History[0]).After(lastSign(c.open))
}

// telling reports whether anything is known of what was said.
func telling(b *recaller.BrokenOff) bool {
	return len(b.Turns) > 0 || b.Conversation.Summary != nil && b.Conversation.Summary.Brief != ""
}

// brokeAt returns when a conversation broke off: at its last activity, because its end may have been noted much later.
func brokeAt(conv recaller.Conversation) time.Time {
	for _, t := range []time.Time{conv.LastActivityAt, conv.EndedAt} {
		if !t.IsZero() {
			return t
		}
	}
	return conv.StartedAt
}

func (c *composer) resume(r resumable) {
	if r.checkpoint == nil && r.broken == nil {
		return
	}
	c.section("resume", "Pick up here", true, func() { c.resumeLead(r) })
	rank, words := rankResume, maxWords
	if r.checkpoint != nil {
		rank = c.checkpoint(rank, r)
		words = maxWordsAfter
	}
	if r.broken != nil {
		c.lastWords(rank, words, r.broken)
	}
}

// How the agent comes back to a matter. H words the greeting; whoever speaks already is not greeted again.
const (
	greetAgain = `open with "Welcome back. I see we were discussing …" and the matter in a few words`
	notAgain   = "do not ask again for what they have told you."
	ifItIsThat = " If they come back to it, carry on from there, and " + notAgain + " If it is about something else, leave it be."
)

// resumeLead says, in our own words, what happened and what to do about it.
func (c *composer) resumeLead(r resumable) {
	switch {
	case r.now:
		c.str("This was saved in the conversation that goes on now; " + notAgain)
	case r.broken != nil:
		c.brokenLead(r)
	default:
		c.str("A matter was left unfinished " + when.Phrase(r.checkpoint.LastActivity, c.now, false) + ".")
		switch {
		case c.compact:
		case c.begun:
			c.str(ifItIsThat)
		default:
			c.str(" " + upper(greetAgain) + ", and ask whether to pick it up; " + notAgain)
		}
	}
	c.str("\n")
}

// brokenLead says that a conversation broke off, or may have.
func (c *composer) brokenLead(r resumable) {
	c.str("The last " + noun(r.broken.Conversation.Channel))
	if r.open {
		c.str(" is still open, last words " + c.ago(lastSign(r.broken)) + ".")
	} else {
		c.str(" broke off " + when.Phrase(brokeAt(r.broken.Conversation), c.now, false) + ".")
	}
	switch {
	case c.compact:
	case !r.disconnected():
		c.str(" Carry on from there; " + notAgain)
	case c.begun:
		c.str(ifItIsThat)
	case r.open:
		c.str(" It most likely broke off: " + greetAgain + ", say that you were cut off, and carry on from there; " + notAgain)
	default:
		c.str(" " + upper(greetAgain) + ", say that you were cut off, and carry on from there; " + notAgain)
	}
}

// upper returns a text of ours with a capital.
func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// ago says how long ago something was, in seconds if it is less than a minute.
func (c *composer) ago(at time.Time) string {
	d := c.now.Sub(at)
	if s := int(d / time.Second); s > 1 && d < time.Minute {
		return strconv.Itoa(s) + " seconds ago"
	}
	return when.Phrase(at, c.now, false)
}

func noun(ch recaller.Channel) string {
	if ch.Text() {
		return "chat"
	}
	return "call"
}

// checkpoint tells the state of the matter and returns the next rank.
func (c *composer) checkpoint(rank int, r resumable) int {
	cp, label := r.checkpoint, "So far"
	if r.broken != nil && cp.LastActivity.Before(r.broken.Conversation.StartedAt) {
		label = "Left unfinished before that"
	}
	if cp.Summary != "" {
		c.field(rank, label, cp.Summary, maxBrief)
	}
	if cp.Intent != "" {
		c.field(rank+1, "About", readable(cp.Intent), maxKey)
	}
	rank += 2
	for _, l := range stagingLines(cp.StagingData) {
		c.unit(rank, func(u *unit) {
			c.str("- ")
			c.buf = appendLabel(c.buf, l.Label)
			c.str(": ")
			c.elastic(u, l.Value, maxValue)
			c.str("\n")
		})
		rank++
	}
	return rank
}

// lastWords tells the last turns in order. If the budget is short, the caller's words stay before the agent's, and
// newer ones before older.
func (c *composer) lastWords(rank, most int, broken *recaller.BrokenOff) {
	if len(broken.Turns) == 0 {
		c.field(rank, "So far", broken.Conversation.Summary.Brief, maxBrief)
		return
	}
	turns := broken.Turns[max(0, len(broken.Turns)-most):]
	for i, t := range turns {
		after := len(turns) - 1 - i
		if t.Speaker == recaller.Assistant {
			after += 3
		}
		c.unit(rank+after, func(u *unit) {
			u.data, u.tail = c.turn(t)
			c.str("\n")
			u.tail++
		})
	}
}

// turn writes one side's words and marks what is doubtful about them. It returns where the words begin in the buffer,
// and how many bytes follow them.
func (c *composer) turn(t recaller.Turn) (words, tail int) {
	c.str(c.side(t.Speaker) + `: "`)
	words = len(c.buf)
	c.data(t.Text, maxQuote)
	end := len(c.buf)
	c.str(`"`)
	if t.Interrupted {
		c.str(" (cut off)")
	}
	if t.Speaker == recaller.User && t.Confidence > 0 && t.Confidence < unsureBelow {
		c.str(" (unsure)")
	}
	return words, len(c.buf) - end
}

// side names who spoke.
func (c *composer) side(s recaller.Speaker) string {
	switch {
	case s == recaller.Assistant:
		return "Agent"
	case c.thread != nil: // who chats does not call
		return "User"
	}
	return "Caller"
}

// stagingLines reads staging data, a JSON object, as labelled lines in the order of its keys. Anything else gives none.
func stagingLines(data []byte) []recaller.Line {
	if len(data) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var object map[string]any
	if dec.Decode(&object) != nil {
		return nil
	}
	return flatten(nil, "", object, 1)
}

func flatten(lines []recaller.Line, path string, object map[string]any, depth int) []recaller.Line {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if len(lines) >= maxStaging {
			return lines
		}
		label := strings.TrimSpace(path + " " + key)
		if inner, ok := object[key].(map[string]any); ok && depth < maxDepth {
			lines = flatten(lines, label, inner, depth+1)
		} else if value := plain(object[key]); value != "" {
			lines = append(lines, recaller.Line{Label: label, Value: value})
		}
	}
	return lines
}

// plain writes a JSON value as a person would: lists with commas, true as yes. Deeper values stay JSON.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return map[bool]string{true: "yes", false: "no"}[v]
	case []any:
		items := make([]string, 0, len(v))
		for _, item := range v {
			if s := plain(item); s != "" {
				items = append(items, s)
			}
		}
		return strings.Join(items, ", ")
	}
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}
