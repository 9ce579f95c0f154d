package recaller

import "time"

// Thread is a chat that never ends, on a text channel (L1–L7). What is said in it is said in conversations, one after
// another: each has a few dozen turns, or ends when the chat has been silent for the idle limit, and is written up then
// like any other. The thread is what goes on through them: whose it is, its summary, its persona.
type Thread struct {
	ID         ThreadID
	Caller     CallerID
	ExternalID string // the chat, or chat and topic, as the platform names it; unique in the tenant; may be empty
	Channel    Channel
	Title      string
	TitleFound bool // the title was made of what was said, and not given
	Persona    PersonaChoice
	Verified   bool           // the platform or the application says who writes: its conversations begin as TrustVerified
	Summary    *ThreadSummary // nil until there was enough to summarise
	Stopping   Stopping       // of texts: whether he wants any
	CreatedAt  time.Time
	Version    int64 // how often it was changed, from 1; what is said in it does not count

	// What the conversations tell of it.
	Exchanges      int // how often the agent has answered in it
	Conversations  int
	LastActivityAt time.Time // when it was created, if nothing was said yet
}

// ThreadSummary says what a thread was about lately (L3).
type ThreadSummary struct {
	Text      string
	By        string // ByRules, or the model's name
	Exchanges int    // how many there were when it was made
	At        time.Time
	Interim   bool // rules made it while the model was away
}

// SummaryEvery is after how many exchanges the summary of a thread is made anew (L3).
const SummaryEvery = 5

// SummaryDue reports whether the summary of the thread is to be made anew.
func (t Thread) SummaryDue() bool {
	has := 0
	if t.Summary != nil {
		has = t.Summary.Exchanges
	}
	return t.Exchanges/SummaryEvery > has/SummaryEvery
}

// PersonaChoice is the persona of a thread: a version of the tenant's, a text of its own, or, if it is zero, the tenant's
// active one.
type PersonaChoice struct {
	Version int    `json:"version,omitempty"`
	Text    string `json:"text,omitempty"`
}

// ThreadCreating asks for a thread with a caller who is known. If there is one with the external id, it is that one.
type ThreadCreating struct {
	Once   Once
	Thread Thread // with its id and times
}

// ThreadPatch is what an update of a thread changes; nil fields stay.
type ThreadPatch struct {
	ExternalID *string // of a chat that has another one now
	Title      *string
	Found      bool // Title was made of what was said: it gives way to one that was given
	Persona    *PersonaChoice
	Verified   bool // it is known who writes; that does not end
	Stopping   *Stopping
	Summary    *ThreadSummary // one that is made of fewer exchanges than the present one is left out
}

// Take takes a change in, and reports whether there was any. A title that was found gives way to one that was given, and
// a summary to one that knows more.
func (t *Thread) Take(p ThreadPatch) (changed bool) {
	if p.ExternalID != nil && *p.ExternalID != t.ExternalID {
		t.ExternalID, changed = *p.ExternalID, true
	}
	if p.Title != nil && (!p.Found || t.Title == "" || t.TitleFound) && *p.Title != t.Title {
		t.Title, t.TitleFound, changed = *p.Title, p.Found, true
	}
	if p.Persona != nil && *p.Persona != t.Persona {
		t.Persona, changed = *p.Persona, true
	}
	if p.Verified && !t.Verified {
		t.Verified, changed = true, true
	}
	if p.Stopping != nil && *p.Stopping != t.Stopping {
		t.Stopping, changed = *p.Stopping, true
	}
	if p.Summary != nil && (t.Summary == nil || p.Summary.Exchanges >= t.Summary.Exchanges) {
		t.Summary, changed = p.Summary, true
	}
	return changed
}

// ThreadFilter selects threads of a caller, or of the tenant where Caller is empty.
type ThreadFilter struct {
	Caller CallerID
	Page   Page
}

// JobThread is the kind of job that summarises a thread. Its subject is the thread's id.
const JobThread = "thread"
