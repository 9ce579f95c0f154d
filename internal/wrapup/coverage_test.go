package wrapup_test

import (
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/devdata"
	"github.com/recallerhq/recaller/internal/llm"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/wrapup"
)

// asking is one of LongMemEval's questions, with the sessions that hold its answer.
type asking struct {
	ID       string          `json:"question_id"`
	Type     string          `json:"question_type"`
	Question string          `json:"question"`
	Answer   json.RawMessage `json:"answer"` // a text, or a number
	Dates    []string        `json:"haystack_dates"`
	IDs      []string        `json:"haystack_session_ids"`
	Sessions [][]struct {
		Role, Content string
		HasAnswer     bool `json:"has_answer"`
	} `json:"haystack_sessions"`
}

// session is one conversation that holds an answer.
type session struct {
	id       string
	at       time.Time
	lines    []string // as stories write them
	evidence []int    // turns of the user that hold it
}

// The types of question whose answers the user gave. The others ask for what the assistant said.
func coverageTypes() []string {
	return []string{"single-session-user", "single-session-preference", "knowledge-update", "multi-session", "temporal-reasoning"}
}

// evidence returns the sessions of a question that hold its answer, each once.
func (q asking) evidence(t *testing.T) []session {
	t.Helper()
	var out []session
	for i, turns := range q.Sessions {
		s := session{id: q.IDs[i]}
		for n, turn := range turns {
			s.lines = append(s.lines, turn.Role+": "+turn.Content)
			if turn.HasAnswer && turn.Role == "user" {
				s.evidence = append(s.evidence, n)
			}
		}
		seen := slices.ContainsFunc(out, func(o session) bool { return o.id == s.id })
		if len(s.evidence) == 0 || seen {
			continue
		}
		at, err := time.ParseInLocation("2006/01/02 (Mon) 15:04", q.Dates[i], time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		s.at = at
		out = append(out, s)
	}
	return out
}

// said is what the user said.
func (s session) said() string {
	var own []string
	for _, l := range s.lines {
		if text, ok := strings.CutPrefix(l, "user: "); ok {
			own = append(own, text)
		}
	}
	return strings.Join(own, "\n")
}

// written is what the wrap-up of a session left.
type written struct {
	from   map[int]bool // turns that a memory names as its source
	values string       // of the memories
	whole  string       // of the memories and the summary
}

// Coverage counts, by type of question.
type coverage struct {
	turns    int // of the user, that hold an answer
	found    int // from which a memory came
	words    int // that say words of the answer
	carried  int // whose words of the answer are in the memories of their conversation
	together int // or in the summary
	first    int // or, to compare, in as many words from the beginning of what the user said
}

func (c coverage) add(o coverage) coverage {
	return coverage{c.turns + o.turns, c.found + o.found, c.words + o.words, c.carried + o.carried, c.together + o.together, c.first + o.first}
}

// carriedShare is how many of the answer's words in a turn must be kept for it to count as carried, as of highlights.
const carriedShare = 0.6

// count measures one question on what was written of its sessions.
func (q asking) count(s session, w written, seen map[string]bool) coverage {
	var c coverage
	values, whole, first := terms(w.values), terms(w.whole), terms(firstWords(s.said(), len(strings.Fields(w.whole))))
	for _, n := range s.evidence {
		_, said, _ := strings.Cut(s.lines[n], ": ")
		if turn := fmt.Sprint(q.Type, s.id, n); !seen[turn] {
			seen[turn] = true
			c.turns++
			c.found += one(w.from[n])
		}
		asked := q.words(said)
		if len(asked) == 0 {
			continue // its answer is worked out, not said here
		}
		c.words++
		c.carried += one(share(asked, values) >= carriedShare)
		c.together += one(share(asked, whole) >= carriedShare)
		c.first += one(share(asked, first) >= carriedShare)
	}
	return c
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rubric are words of the answers to questions for preferences, which say how a reply should be and not what was said.
const rubric = `user prefer response suggest recommend appreciate existing general provide specific option incorporate consider utilize previous interest
	tailor take account focus mention build upon may align related want like help idea tip way new`

// words are the content words of the answer that a turn says. Words of the question are none: who asks knows them.
func (q asking) words(said string) []string {
	known := terms(q.Question)
	if q.Type == "single-session-preference" {
		for w := range terms(rubric) {
			known[w] = true
		}
	}
	in := terms(said)
	var out []string
	for w := range terms(strings.Trim(string(q.Answer), `"`)) {
		if in[w] && !known[w] {
			out = append(out, w)
		}
	}
	return out
}

func share(words []string, in map[string]bool) float64 {
	n := 0
	for _, w := range words {
		n += one(in[w])
	}
	return float64(n) / float64(len(words))
}

var digits = map[string]string{
	"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10",
	"eleven": "11", "twelve": "12",
}

// terms are the content words of a text, as recall searches by them; small numbers as digits.
func terms(text string) map[string]bool {
	out := map[string]bool{}
	var s token.Scanner
	s.Reset(text)
	for s.Next() {
		word := string(s.Bytes())
		word = cmp.Or(digits[word], token.Term(word))
		if word != "" {
			out[word] = true
		}
	}
	return out
}

// writer writes sessions up on a real store, each as a caller's first conversation.
type writer struct {
	*house
	n       int
	some    int            // sessions that left a memory
	left    int            // memories
	words   int            // of memories and summaries
	instead map[string]int // steps that the rules did although there is a model, by reason
	failed  int            // sessions in a row
}

// write wraps a session up and reads back what it left. A session whose model stays away leaves nothing.
func (h *writer) write(s session) written {
	h.Helper()
	h.n++
	conv, job := h.hold(past{phone: fmt.Sprintf("+1212555%04d", h.n), channel: recaller.ChannelWebChat, startedAt: s.at, words: s.lines})
	err := h.service.Run(h.ctx, job)
	for tries := 1; err != nil && tries < 3; tries++ {
		err = h.service.Run(h.ctx, job)
	}
	if err != nil {
		h.instead["nothing was written: "+string(recaller.KindOf(err))]++
		if h.failed++; h.failed == 5 {
			h.Fatalf("the model is away: %v", err)
		}
		return written{}
	}
	h.failed = 0
	steps, err := h.store.Steps(h.ctx, "t1", conv)
	h.ok(err)
	for _, p := range steps {
		if p.Reason != "" {
			h.instead[string(p.Step)+": "+p.Reason]++
		}
	}
	conv, err = h.store.Conversation(h.ctx, "t1", job.Subject)
	h.ok(err)
	w := written{from: map[int]bool{}}
	var values []string
	for _, m := range h.memories(conv.Caller) {
		values = append(values, m.Value)
		for _, at := range m.Provenance.Turns {
			w.from[at] = true
		}
	}
	h.left += len(values)
	h.some += one(len(values) > 0)
	sum := *conv.Summary
	w.values = strings.Join(values, "\n")
	w.whole = strings.Join(slices.Concat(values, []string{sum.Brief, sum.Next}, sum.Topics, sum.Decisions, sum.Actions, sum.Facts), "\n")
	h.words += len(strings.Fields(w.whole))
	return w
}

// measureCoverage writes up every session that holds an answer, and counts what of it was kept.
func measureCoverage(t *testing.T, questions []asking, m wrapup.Model) map[string]coverage {
	t.Helper()
	h := &writer{house: newHouse(t, recaller.Tenant{DefaultRegion: "US", TimeZone: "UTC"}), instead: map[string]int{}}
	if m != nil {
		h.model = m
		h.reopen()
	}
	done, seen, by := map[string]written{}, map[string]bool{}, map[string]coverage{}
	for _, q := range questions {
		if strings.HasSuffix(q.ID, "_abs") || !slices.Contains(coverageTypes(), q.Type) {
			continue
		}
		for _, s := range q.evidence(t) {
			if _, ok := done[s.id]; !ok {
				done[s.id] = h.write(s)
			}
			by[q.Type] = by[q.Type].add(q.count(s, done[s.id], seen))
		}
	}
	t.Logf("%d sessions written up, %d left a memory, %d memories in all; %d words of memories and summary on average; what the rules did instead of a model: %v", h.n, h.some, h.left, h.words/max(1, h.n), h.instead)
	return by
}

// report prints the table that the documentation shows.
func report(t *testing.T, by map[string]coverage) (all coverage) {
	t.Helper()
	for _, kind := range coverageTypes() {
		all = all.add(by[kind])
	}
	t.Logf("%-26s %-30s %-30s %-30s %s", "type of question", "a memory came from the turn", "memories carry the answer", "memories and summary carry it", "as many first words carry it")
	line := func(name string, c coverage) {
		t.Logf("%-26s %-30s %-30s %-30s %s", name, portion(c.found, c.turns), portion(c.carried, c.words), portion(c.together, c.words), portion(c.first, c.words))
	}
	for _, kind := range coverageTypes() {
		line(kind, by[kind])
	}
	line("all", all)
	return all
}

// portion writes a share with its 95 % interval (Wilson's).
func portion(k, n int) string {
	if n == 0 {
		return "none"
	}
	low, high := wilson(k, n)
	return fmt.Sprintf("%.0f %% (%d of %d; %.0f–%.0f)", 100*float64(k)/float64(n), k, n, 100*low, 100*high)
}

func wilson(k, n int) (low, high float64) {
	const z = 1.959964
	p, m := float64(k)/float64(n), float64(n)
	middle := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, middle-half), min(1, middle+half)
}

func questions(t *testing.T) (all []asking) {
	t.Helper()
	f, err := os.Open(devdata.Path(t, "longmemeval_s_dev.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(z).Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

// The share of what users told of themselves, and are asked for later, that the rules keep. It is a floor, not a goal:
// docs/measurements/extraction-coverage.md says what the numbers mean.
//
//	RECALLER_WHOLE=1 go test ./internal/wrapup -run TestRulesKeepWhatIsAskedForLater -v
func TestRulesKeepWhatIsAskedForLater(t *testing.T) {
	t.Parallel()
	asked := questions(t)
	if os.Getenv("RECALLER_WHOLE") == "" { // every fourth is enough for a floor
		n := 0
		asked = slices.DeleteFunc(asked, func(asking) bool { n++; return n%4 != 0 })
	}
	all := report(t, measureCoverage(t, asked, nil))
	if got := float64(all.found) / float64(all.turns); got < foundFloor {
		t.Errorf("a memory came from %.1f %% of the turns, want at least %.0f %%", 100*got, 100*foundFloor)
	}
}

// foundFloor is what no change of the rules may fall below.
const foundFloor = 0.6

// modelSettings reads which model is measured.
func modelSettings(t *testing.T, env func(string) string) llm.Settings {
	t.Helper()
	s := llm.Settings{
		Provider: env("RECALLER_LLM_PROVIDER"), BaseURL: env("RECALLER_LLM_BASE_URL"), APIKey: env("RECALLER_LLM_API_KEY"), Model: env("RECALLER_LLM_MODEL"),
	}
	if s.Model == "" || s.BaseURL == "" && s.Provider != llm.Anthropic {
		t.Fatal("RECALLER_LLM_BASE_URL and RECALLER_LLM_MODEL say which model is measured")
	}
	if v := env("RECALLER_LLM_TIMEOUT"); v != "" {
		d, err := time.ParseDuration(v)
		if err != nil {
			t.Fatal(err)
		}
		s.Timeout = d
	}
	return s
}

// counting adds up what a model costs, and lets it take as long as it is allowed to here: a model on a small machine
// may need more than the wrap-up gives it.
type counting struct {
	*llm.Client
	recaller.Cost
	timeout time.Duration // 0: as long as the wrap-up gives it
}

func (c *counting) Ask(ctx context.Context, q recaller.Ask) (recaller.Answer, error) {
	q.Timeout = cmp.Or(c.timeout, q.Timeout)
	a, err := c.Client.Ask(ctx, q)
	c.Cost = c.Plus(a.Cost)
	return a, err
}

// The measurement itself, on a conversation of our own, by the rules and by a model that speaks over the wire.
func TestTheMeasurementCountsWhatWasKept(t *testing.T) {
	t.Parallel()
	const file = `[{"question_id":"1","question_type":"single-session-user","question":"What is my dog called?","answer":"Bello",
		"haystack_dates":["2023/05/20 (Sat) 15:08","2023/05/20 (Sat) 15:08"],"haystack_session_ids":["s","s"],
		"haystack_sessions":[
			[{"role":"user","content":"My dog is called Bello.","has_answer":true},{"role":"assistant","content":"Nice!"},{"role":"user","content":"Tell me about Bello the painter.","has_answer":true}],
			[{"role":"user","content":"My dog is called Bello.","has_answer":true}]]},
		{"question_id":"2_abs","question_type":"single-session-user"},
		{"question_id":"3","question_type":"multi-session","question":"How many pets?","answer":2,"haystack_dates":["2023/05/20 (Sat) 15:08"],"haystack_session_ids":["s3"],
		"haystack_sessions":[[{"role":"user","content":"Please translate the word cat.","has_answer":true}]]}]`
	var questions []asking
	if err := json.Unmarshal([]byte(file), &questions); err != nil {
		t.Fatal(err)
	}
	want := map[string]coverage{"single-session-user": {turns: 2, found: 1, words: 2, carried: 2, together: 2, first: 2}, "multi-session": {turns: 1}}
	if diff := gocmp.Diff(want, measureCoverage(t, questions, nil), gocmp.AllowUnexported(coverage{})); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	for _, name := range []string{llm.OpenAI, llm.Anthropic} {
		provider := llmtest.New(nil)
		server := httptest.NewServer(provider)
		defer server.Close()
		env := map[string]string{"RECALLER_LLM_PROVIDER": name, "RECALLER_LLM_BASE_URL": server.URL, "RECALLER_LLM_MODEL": "m", "RECALLER_LLM_TIMEOUT": "10s"}
		settings := modelSettings(t, func(v string) string { return env[v] })
		count := &counting{Client: llm.New(settings), timeout: settings.Timeout}
		if diff := gocmp.Diff(want, measureCoverage(t, questions, count), gocmp.AllowUnexported(coverage{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if count.Calls != provider.Count() || count.TokensIn == 0 {
			t.Errorf("%s: counted %+v of %d requests", name, count.Cost, provider.Count())
		}
	}
}

func TestIntervalsAreWilsons(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		k, n int
		want string
	}{{0, 0, "none"}, {0, 10, "0 % (0 of 10; 0–28)"}, {5, 10, "50 % (5 of 10; 24–76)"}, {10, 10, "100 % (10 of 10; 72–100)"}} {
		if got := portion(test.k, test.n); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
