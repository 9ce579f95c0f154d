package wrapup_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup"
	"github.com/recallerhq/recaller/internal/wrapup/answer"
)

// modelWritten is a summary of visit as a model may write it.
var modelWritten = recaller.Summary{
	Brief:   "Rosa Klein's kitchen sink is leaking; a plumber comes on Friday.",
	Topics:  []string{"the leaking sink"},
	Actions: []string{"A plumber will come on Friday"},
	Facts:   []string{"Lives at 12 Oak Lane", "Doctor's appointment tomorrow at three"},
	Next:    "A plumber comes on Friday.",
}

func TestAModelWritesTheSummary(t *testing.T) {
	m := &asked{summary: says(summaryJSON(modelWritten)), memories: claims(), callsEach: recaller.Cost{Calls: 1, TokensIn: 200, TokensOut: 50, Took: time.Second}}
	h := newHouseWith(t, recaller.Tenant{}, m)
	conv, job := h.hold(past{words: visit})
	conv = h.run(job)
	want := modelWritten
	want.By = modelName
	want.Brief = "Rosa Klein's kitchen sink is leaking; a plumber comes on Friday (27 November 2026)."
	want.Actions = []string{"A plumber will come on Friday (27 November 2026)"}
	want.Next = "A plumber comes on Friday (27 November 2026)."
	conv.Summary.Decisions = nil // the rules' own
	want.Facts = []string{"Lives at 12 Oak Lane", "Doctor's appointment tomorrow at three (23 November 2026 at 3:00 PM)"}
	if diff := cmp.Diff(&want, conv.Summary); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	p := h.progress(conv, recaller.StepSummarise)
	if p.By != modelName || p.Prompt != "summary/2" || p.State != recaller.StepDone || p.Reason != "" {
		t.Errorf("got %+v, want it done by the model with our first prompt", p)
	}
	if want := (recaller.Cost{Calls: 1, TokensIn: 200, TokensOut: 50, Took: time.Second}); p.Cost != want {
		t.Errorf("got cost %+v, want %+v", p.Cost, want)
	}
	if p := h.progress(conv, recaller.StepAnalyse); p.By != wrapup.By || p.Cost != (recaller.Cost{}) {
		t.Errorf("got the analysis by %s at %+v, want it by rules, for nothing", p.By, p.Cost)
	}
	c, err := h.store.Caller(h.ctx, "t1", conv.Caller)
	h.ok(err)
	if c.Name != "Rosa Klein" {
		t.Errorf("got the name %q, want it as said, by rules", c.Name)
	}
}

func TestWhatAModelIsAsked(t *testing.T) {
	m := &asked{}
	h := newHouseWith(t, recaller.Tenant{}, m)
	_, job := h.hold(past{words: visit})
	h.run(job)
	if len(m.all) != 2 {
		t.Fatalf("got %d questions, want one for the summary and one for the memories", len(m.all))
	}
	for i, q := range m.all {
		if q.Temperature != 0.3 || q.Timeout != 0 || q.Schema == nil || q.MaxTokens == 0 { // the client's own timeout holds
			t.Errorf("question %d: got temperature %v, %v, schema %t, %d tokens; want 0.3, none, one, a limit", i, q.Temperature, q.Timeout, q.Schema != nil, q.MaxTokens)
		}
		if !strings.Contains(q.Text, "[1] USER: Good morning, my name is Rosa Klein.") {
			t.Errorf("question %d has not what was said:\n%s", i, q.Text)
		}
		if strings.Contains(q.System, "Rosa") {
			t.Errorf("question %d: what was said stands among the instructions", i)
		}
	}
	for _, said := range []string{"Rosa", "Oak", "sink", "alone", "living_situation"} {
		if strings.Contains(h.log.String(), said) {
			t.Errorf("the log tells %q, which was said", said)
		}
	}
}

func TestATenantsOwnPromptIsUsedAndNamed(t *testing.T) {
	m := &asked{}
	h := newHouseWith(t, recaller.Tenant{Prompts: map[string]string{"summary": "Write as a pirate.", "extraction": "Look for treasure."}}, m)
	conv, job := h.hold(past{words: visit})
	h.run(job)
	if !strings.HasPrefix(m.all[0].System, "Write as a pirate.") || !strings.HasPrefix(m.all[1].System, "Look for treasure.") {
		t.Errorf("the model was told something else:\n%s\n%s", m.all[0].System, m.all[1].System)
	}
	if a, b := h.progress(conv, recaller.StepSummarise).Prompt, h.progress(conv, recaller.StepExtract).Prompt; a != "summary/own" || b != "extraction/own" {
		t.Errorf("got prompts %s and %s, want the tenant's own", a, b)
	}
}

func TestLinesThatNobodySaidAreTakenOutAndCounted(t *testing.T) {
	told := modelWritten
	told.Facts = []string{"Lives at 12 Oak Lane", "Brother Zebediah lives at 77 Elm Street"}
	h := newHouseWith(t, recaller.Tenant{}, &asked{summary: says(summaryJSON(told)), memories: claims()})
	_, job := h.hold(past{words: visit})
	conv := h.run(job)
	if got := conv.Summary.Facts; len(got) != 1 || got[0] != "Lives at 12 Oak Lane" {
		t.Errorf("got facts %q, want only what was said", got)
	}
	if n := h.metric("recaller_summary_lines_unsupported_total"); n != 1 {
		t.Errorf("got %v lines counted, want 1", n)
	}
}

func TestASummaryStaysWithinItsLimits(t *testing.T) {
	long := recaller.Summary{Brief: strings.Repeat("The kitchen sink is leaking. ", 60), Next: strings.Repeat("sink leaking ", 80)}
	for range 30 {
		long.Facts = append(long.Facts, fmt.Sprintf("The sink is leaking %s", strings.Repeat("in the kitchen ", len(long.Facts)+20)))
	}
	h := newHouseWith(t, recaller.Tenant{}, &asked{summary: says(summaryJSON(long)), memories: claims()})
	_, job := h.hold(past{words: visit})
	got := h.run(job).Summary
	if n := len([]rune(got.Brief)); n > answer.MaxBrief {
		t.Errorf("got a brief of %d characters, want at most %d", n, answer.MaxBrief)
	}
	if n := len([]rune(got.Next)); n > answer.MaxBrief {
		t.Errorf("got %d characters for the next call, want at most %d", n, answer.MaxBrief)
	}
	if len(got.Facts) > answer.MaxLines || len(got.Facts) == 0 {
		t.Errorf("got %d facts, want some, at most %d", len(got.Facts), answer.MaxLines)
	}
	for _, f := range got.Facts {
		if n := len([]rune(f)); n > answer.MaxLine {
			t.Errorf("got a fact of %d characters, want at most %d", n, answer.MaxLine)
		}
	}
}

// palabras is a call in Spanish.
var palabras = []string{
	"assistant: Buenos días, ¿en qué puedo ayudarle?",
	"user: Buenos días, llamo porque el fregadero de la cocina no funciona y quiero que venga un técnico.",
	"assistant: Lo siento mucho. ¿Cuál es su dirección?",
	"user: Es la calle Mayor número doce, pero no puedo estar en casa por la mañana.",
	"assistant: El técnico va el viernes por la tarde.",
	"user: Muy bien, muchas gracias por su ayuda.",
}

func TestASummaryInAnotherLanguageIsAskedForOnceMore(t *testing.T) {
	english := summaryJSON(recaller.Summary{Brief: "The caller wants a technician because the sink in the kitchen does not work, and he is not at home in the morning."})
	spanish := summaryJSON(recaller.Summary{Brief: "La persona que llama quiere un técnico porque el fregadero de la cocina no funciona."})
	t.Run("then it is in the right one", func(t *testing.T) {
		m := &asked{summary: oneAfterAnother(says(english), says(spanish)), memories: claims()}
		h := newHouseWith(t, recaller.Tenant{}, m)
		conv, job := h.hold(past{words: palabras})
		conv = h.run(job)
		if !strings.HasPrefix(conv.Summary.Brief, "La persona") || conv.Summary.By != modelName {
			t.Errorf("got %q by %s, want the Spanish one", conv.Summary.Brief, conv.Summary.By)
		}
		if n, _ := m.count(); n != 2 || !strings.Contains(m.all[1].System, "speaks, whose BCP 47 tag is es") {
			t.Errorf("asked %d times, want twice, with a note the second time:\n%s", n, m.all[1].System)
		}
	})
	t.Run("and stays wrong", func(t *testing.T) {
		m := &asked{summary: says(english), memories: claims()}
		h := newHouseWith(t, recaller.Tenant{}, m)
		conv, job := h.hold(past{words: palabras})
		conv = h.run(job)
		if n, _ := m.count(); n != 2 || conv.Summary.By != wrapup.By {
			t.Errorf("got a summary by %s after %d questions, want the rules' after two", conv.Summary.By, n)
		}
		if p := h.progress(conv, recaller.StepSummarise); p.Reason != wrapup.ReasonLanguage || p.Prompt != "" || p.State != recaller.StepDone {
			t.Errorf("got %+v, want it done by rules, and why", p)
		}
	})
}

func TestNonsenseIsAskedOnceMoreAndThenTheRulesWrite(t *testing.T) {
	tests := []struct {
		name   string
		answer func(recaller.Ask) (string, error)
		want   string
	}{
		{"no JSON at all", says("I would rather talk about the weather."), wrapup.ReasonUnreadable},
		{"JSON of another kind", says(`[1, 2, 3]`), wrapup.ReasonUnreadable},
		{"a question that is refused", fails(recaller.Invalid), wrapup.ReasonRefused},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := &asked{summary: tt.answer, memories: tt.answer, callsEach: recaller.Cost{Calls: 1, TokensIn: 7}}
			h := newHouseWith(t, recaller.Tenant{}, m)
			_, job := h.hold(past{words: visit})
			conv := h.run(job)
			if got, want := h.steps(conv), fmt.Sprintf("summarise done (%s), analyse done, extract done (%s)", tt.want, tt.want); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if s, e := m.count(); s != 2 || e != 2 {
				t.Errorf("asked %d and %d times, want twice each", s, e)
			}
			if conv.Summary.By != wrapup.By || h.values(conv.Caller)["living_situation"] != "“I live alone”" {
				t.Errorf("got %q by %s and %v, want what the rules find", conv.Summary.Brief, conv.Summary.By, h.values(conv.Caller))
			}
			for _, step := range []recaller.Step{recaller.StepSummarise, recaller.StepExtract} {
				if p := h.progress(conv, step); p.Cost.Calls != 2 || p.Cost.TokensIn != 14 || p.By != wrapup.By || p.Prompt != "" {
					t.Errorf("%s: got %+v, want it by rules, with what both questions cost", step, p)
				}
			}
			if n := h.metric("recaller_wrapup_fallbacks_total", "reason="+tt.want); n != 2 {
				t.Errorf("got %v counted, want 2", n)
			}
		})
	}
}

func TestASecondAnswerThatIsGoodCounts(t *testing.T) {
	m := &asked{
		summary:  oneAfterAnother(says("Sure!"), says(summaryJSON(modelWritten))),
		memories: oneAfterAnother(fails(recaller.Invalid), claims(fact("living_situation", "lives alone", 3))),
	}
	h := newHouseWith(t, recaller.Tenant{}, m)
	conv, job := h.hold(past{words: visit})
	conv = h.run(job)
	if conv.Summary.By != modelName || h.values(conv.Caller)["living_situation"] != "lives alone" {
		t.Errorf("got a summary by %s and %v, want the model's", conv.Summary.By, h.values(conv.Caller))
	}
	if q := m.all[1]; !strings.Contains(q.System, "could not be read") || q.Schema == nil {
		t.Errorf("the second question has no note, or lost its form: %q", q.System)
	}
	if q := m.all[3]; q.Schema != nil {
		t.Error("the form that was refused is asked for again")
	}
}

func TestWhileTheModelIsAwayTheRulesSummaryStandsIn(t *testing.T) {
	for _, kind := range []recaller.Kind{recaller.Unavailable, recaller.Exhausted, recaller.Timeout, recaller.Unauthenticated, recaller.NotFound} {
		t.Run(string(kind), func(t *testing.T) {
			m := &asked{summary: fails(kind), callsEach: recaller.Cost{Calls: 3, Took: time.Second}}
			h := newHouseWith(t, recaller.Tenant{}, m)
			conv, job := h.hold(past{words: visit})
			for range 3 {
				if err := h.service.Run(h.ctx, job); recaller.KindOf(err) != kind {
					t.Fatalf("got %v, want the model's failure, of kind %s", err, kind)
				}
			}
			conv = h.conversation(conv.ID)
			if conv.Summary == nil || conv.Summary.By != wrapup.By || !strings.Contains(conv.Summary.Brief, "sink is leaking") {
				t.Fatalf("got summary %+v, want the rules' meanwhile", conv.Summary)
			}
			if got := h.steps(conv); got != "summarise pending (waiting for the model), analyse done, extract pending (waiting for the model)" {
				t.Errorf("got %s, want the rest open", got)
			}
			if memories := len(h.memories(conv.Caller)); len(h.changes) != 2+memories || len(h.discarded) != 0 {
				t.Errorf("told %d changes and let the words go %d times, want one interim summary, the labels, %d memories, and the words kept", len(h.changes), len(h.discarded), memories)
			}
			m.summary, m.memories = says(summaryJSON(modelWritten)), claims()
			conv = h.run(job)
			if conv.Summary.By != modelName || h.steps(conv) != "summarise done, analyse done, extract done" {
				t.Errorf("got a summary by %s and %s, want all done by the model", conv.Summary.By, h.steps(conv))
			}
			if p := h.progress(conv, recaller.StepSummarise); p.Attempts != 4 || p.Cost.Calls != 12 || p.Cost.Took != 4*time.Second {
				t.Errorf("got %d attempts at %+v, want 4 with all that they cost", p.Attempts, p.Cost)
			}
		})
	}
}

// A reader must not wait for a model that takes its half minute: what the rules say is there before it is asked (V7).
func TestTheRulesSummaryIsThereBeforeTheModelAnswers(t *testing.T) {
	m := &asked{memories: claims()}
	h := newHouseWith(t, recaller.Tenant{}, m)
	conv, job := h.hold(past{words: visit})
	m.summary = func(recaller.Ask) (string, error) {
		if c := h.conversation(conv.ID); c.Summary == nil || c.Summary.By != wrapup.By {
			t.Errorf("got %+v while the model thinks, want the rules' summary", c.Summary)
		}
		c, err := h.store.Caller(h.ctx, "t1", conv.Caller)
		h.ok(err)
		if c.Name != "Rosa Klein" {
			t.Errorf("got the name %q while the model thinks", c.Name)
		}
		return summaryJSON(modelWritten), nil
	}
	if conv = h.run(job); conv.Summary.By != modelName {
		t.Errorf("got the summary by %s in the end, want the model's", conv.Summary.By)
	}
}

func TestWhatIsDoneIsNotAskedAgain(t *testing.T) {
	m := &asked{memories: oneAfterAnother(fails(recaller.Timeout), claims())}
	h := newHouseWith(t, recaller.Tenant{}, m)
	conv, job := h.hold(past{words: visit})
	if err := h.service.Run(h.ctx, job); recaller.KindOf(err) != recaller.Timeout {
		t.Fatalf("got %v, want a timeout", err)
	}
	if got := h.steps(conv); got != "summarise done, analyse done, extract pending (waiting for the model)" {
		t.Errorf("got %s, want what needs no second answer to be done", got)
	}
	h.run(job)
	h.run(job)
	if s, e := m.count(); s != 1 || e != 2 {
		t.Errorf("asked %d and %d times, want the summary once and the memories twice", s, e)
	}
}

func TestAJobThatIsGivenUpIsDoneByRules(t *testing.T) {
	m := &asked{summary: fails(recaller.Unavailable), memories: fails(recaller.Unavailable)}
	h := newHouseWith(t, recaller.Tenant{}, m)
	conv, job := h.hold(past{words: visit})
	cause := h.service.Run(h.ctx, job)
	h.ok(h.service.GiveUp(h.ctx, job, cause))
	if got, want := h.steps(conv), "summarise done (model away for too long), analyse done, extract done (model away for too long)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if h.values(conv.Caller)["living_situation"] != "“I live alone”" || h.conversation(conv.ID).Summary.By != wrapup.By {
		t.Errorf("got %v, want what the rules find", h.values(conv.Caller))
	}
	if len(h.discarded) != 1 || h.metric("recaller_wrapup_fallbacks_total") != 2 {
		t.Errorf("the words were let go %d times and %v steps counted, want once and 2", len(h.discarded), h.metric("recaller_wrapup_fallbacks_total"))
	}
	t.Run("for another cause", func(t *testing.T) {
		conv, job := h.hold(past{words: visit, phone: "+12125550124"})
		h.ok(h.service.GiveUp(h.ctx, job, recaller.Errorf(recaller.Unavailable, "the database is away")))
		if got, want := h.steps(conv), "summarise done (tried too often), analyse done, extract done (tried too often)"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestWordsThatAreOnlyInMemoryDoNotWaitForAModel(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer func(recaller.Ask) (string, error)
		want   string
	}{
		{"away", fails(recaller.Unavailable), wrapup.ReasonAway},
		{"nonsense", says("The sea is calm today."), wrapup.ReasonUnreadable},
		{"refused", fails(recaller.Invalid), wrapup.ReasonRefused},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := &asked{summary: tt.answer, memories: tt.answer}
			h := newHouseWith(t, recaller.Tenant{Retention: recaller.Ephemeral}, m)
			_, job := h.hold(past{words: visit, ephemeral: true})
			conv := h.run(job)
			if s, e := m.count(); s != 1 || e != 1 {
				t.Errorf("asked %d and %d times, want one try each", s, e)
			}
			if got, want := h.steps(conv), fmt.Sprintf("summarise done (%s), analyse done, extract done (%s)", tt.want, tt.want); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if len(h.memories(conv.Caller)) != 0 || conv.Summary.Brief != wrapup.NothingKept || len(h.held) != 0 {
				t.Errorf("got %v and %+v with %d still held, want nothing quoted, and the words gone", h.values(conv.Caller), conv.Summary, len(h.held))
			}
		})
	}
}

// talk is a conversation of so many exchanges.
func talk(exchanges int) []string {
	var out []string
	for i := range exchanges {
		out = append(out, fmt.Sprintf("assistant: And what about room %d?", i), fmt.Sprintf("user: In room %d the tap is dripping and I have number %d on the door.", i, i))
	}
	return out
}

func TestALongConversationGoesInParts(t *testing.T) {
	m := &asked{memories: claims()}
	m.summary = func(q recaller.Ask) (string, error) {
		if strings.Contains(q.System, "write-ups of its parts") {
			if merged := q.Text; !strings.Contains(merged, "In room 0 the tap is dripping") || strings.Contains(merged, "ASSISTANT:") {
				t.Errorf("the parts' write-ups are not what the whole is made of:\n%s", merged)
			}
			return summaryJSON(recaller.Summary{Brief: "The taps are dripping in every room."}), nil
		}
		return parrotSummary(q)
	}
	h := newHouseWith(t, recaller.Tenant{}, m)
	h.window = 4 << 10
	h.reopen()
	conv, job := h.hold(past{words: talk(100)})
	conv = h.run(job)
	if conv.Summary.Brief != "The taps are dripping in every room." || conv.Summary.By != modelName {
		t.Errorf("got %q by %s, want the one of the parts", conv.Summary.Brief, conv.Summary.By)
	}
	s, e := m.count()
	if s < 4 || e < 3 {
		t.Fatalf("asked %d and %d times, want one question a part and one for the whole", s, e)
	}
	all := ""
	for _, q := range m.all[:s] {
		if len(q.Text) > 5<<10 {
			t.Errorf("a question has %d bytes, want it to fit the window", len(q.Text))
		}
		all += q.Text
	}
	for i := range 100 {
		if !strings.Contains(all, fmt.Sprintf("In room %d the tap", i)) {
			t.Errorf("room %d was never told to the model", i)
		}
	}
}

func TestAConversationThatIsTooLongIsWrittenUpByRules(t *testing.T) {
	m := &asked{}
	h := newHouseWith(t, recaller.Tenant{}, m)
	h.window = 1 << 10
	h.reopen()
	conv, job := h.hold(past{words: talk(800)})
	h.run(job)
	if got, want := h.steps(conv), "summarise done (conversation too long for the model), analyse done, extract done (conversation too long for the model)"; got != want || len(m.all) != 0 {
		t.Errorf("got %s after %d questions, want %s after none", got, len(m.all), want)
	}
}

func TestASilentCallerIsNoQuestionForAModel(t *testing.T) {
	m := &asked{}
	h := newHouseWith(t, recaller.Tenant{}, m)
	for i, words := range [][]string{nil, {"assistant: Hello? Is anybody there?"}} {
		conv, job := h.hold(past{words: words, phone: fmt.Sprintf("+1212555013%d", i)})
		if conv = h.run(job); conv.Summary == nil || conv.Summary.By != wrapup.By || len(m.all) != 0 {
			t.Errorf("got %+v after %d questions, want the rules' after none", conv.Summary, len(m.all))
		}
	}
}

func TestSecretsAModelSpellsOutAreMaskedInASummary(t *testing.T) {
	told := recaller.Summary{Brief: "Pays with card 4111 1111 1111 1111.", Facts: []string{"Card 4111111111111111"}}
	words := []string{"assistant: How would you like to pay?", "user: My card is 4111 1111 1111 1111, that is 4111111111111111, I pay with that card."}
	for _, masking := range []recaller.Masking{recaller.MaskingOn, recaller.MaskingOff} {
		h := newHouseWith(t, recaller.Tenant{Masking: masking}, &asked{summary: says(summaryJSON(told)), memories: claims()})
		_, job := h.hold(past{words: words})
		got := fmt.Sprint(h.run(job).Summary)
		if kept := strings.Contains(got, "4111"); kept != (masking == recaller.MaskingOff) {
			t.Errorf("masking %s: got %s", masking, got)
		}
	}
}

// A process that stops does not wait for the model; what was asked is paid for all the same.
func TestWhatAQuestionCostIsKeptWhenNobodyWaitsForItsAnswer(t *testing.T) {
	m := &asked{callsEach: recaller.Cost{Calls: 1, TokensIn: 200}}
	h := newHouseWith(t, recaller.Tenant{}, m)
	conv, job := h.hold(past{words: visit})
	ctx, stop := context.WithCancel(h.ctx)
	m.summary = func(recaller.Ask) (string, error) {
		stop()
		return "", recaller.Errorf(recaller.Timeout, "the model was not waited for")
	}
	if err := h.service.Run(ctx, job); recaller.KindOf(err) != recaller.Timeout {
		t.Errorf("got %v, want that it was not waited for", err)
	}
	if p := h.progress(conv, recaller.StepSummarise); p.Cost.TokensIn != 200 || p.State != recaller.StepPending {
		t.Errorf("got %+v, want the step open and its cost kept", p)
	}
}

// full is the failure of a question that has more tokens than the model has room for.
type full struct{ room int }

func (full) Error() string           { return "too long" }
func (f full) Overflow() (int, bool) { return f.room, true }
func overflows(q recaller.Ask) bool  { return len(q.Text) > 3000 }
func refusing(room int) func(recaller.Ask) (string, error) {
	return func(q recaller.Ask) (string, error) {
		if overflows(q) {
			return "", recaller.Wrap(recaller.Invalid, full{room}, "refused")
		}
		if forSummary(q) {
			return parrotSummary(q)
		}
		return parrotMemories(q)
	}
}

func TestAnOverflowNarrowsTheWindow(t *testing.T) {
	for _, room := range []int{0, 2400} { // it does not say, or says
		m := &asked{summary: refusing(room), memories: refusing(room)}
		h := newHouseWith(t, recaller.Tenant{}, m)
		_, job := h.hold(past{words: talk(60)})
		conv := h.run(job)
		if p := h.progress(conv, recaller.StepExtract); p.By != modelName || p.Reason != "" {
			t.Errorf("room %d: got the memories by %s (%s), want them by the model, in parts", room, p.By, p.Reason)
		}
		for _, q := range m.all[len(m.all)-2:] {
			if overflows(q) {
				t.Errorf("room %d: got %d bytes at once after the model said that it is too much", room, len(q.Text))
			}
		}
	}
}
