package label

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/devdata"
)

func devFile(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(devdata.Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// What the intents of the insurance requests are called here.
var insurance = map[string]string{
	"GetQuote": "insurance-quote", "FileClaim": "insurance-claim", "ReportAutomobileAccident": "insurance-claim", "PayBill": "payment",
	"AddDependent": "dependents", "RemoveDependent": "dependents", "EnrollInPlan": "plan-enrollment", "ReportBillingIssue": "billing-issue",
	"RequestProofOfInsurance": "proof-of-insurance", "UpdatePaymentPreference": "payment-method", "CheckPaymentStatus": "payment-status",
	"CancelAutomaticBilling": "automatic-payment", "ChangeAddress": "address-change", "CreateAccount": "account-opening",
	"GetPolicyNumber": "policy-number", "UpdateBillingFrequency": "billing-frequency", "FindAgent": "agent-locator", "CancelPlan": "cancellation",
	"ResetPassword": "password-reset", "CheckAccountBalance": "balance-inquiry", "ChangePlan": "plan-change", "ChangeSecurityQuestion": "security-question",
}

func TestInsuranceRequestsGetTheirIntent(t *testing.T) {
	packs := must(t, "service")
	right, n := 0, 0
	wrong := map[string]int{}
	for line := range strings.Lines(string(devFile(t, "natcs_insurance_utterances.jsonl"))) {
		var r struct{ Utterance, Intent string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		n++
		got := Analyse([]recaller.Turn{{Speaker: recaller.User, Text: r.Utterance, Confidence: 1}}, nil, false, packs).Intent
		if got == insurance[r.Intent] {
			right++
			continue
		}
		wrong[r.Intent+" taken for "+got]++
		if os.Getenv("RECALLER_SHOW") != "" {
			t.Logf("%s taken for %s: %s", r.Intent, got, r.Utterance)
		}
	}
	t.Logf("right intent: %d of n=%d (%.1f %%); wrong: %v", right, n, 100*float64(right)/float64(n), wrong)
	if float64(right) < 0.94*float64(n) {
		t.Errorf("%d of %d intents are right, want at least 94 in a hundred", right, n)
	}
}

func must(t testing.TB, names ...string) []Pack {
	t.Helper()
	packs, err := Packs(names)
	if err != nil {
		t.Fatal(err)
	}
	return packs
}

// What the tasks of the bank calls are called here.
var bank = map[string]string{
	"replace card": "card-replacement", "check balance": "balance-inquiry", "transfer money": "money-transfer", "reset password": "password-reset",
	"order checks": "check-order", "schedule appointment": "appointment",
}

func TestBankCallsGetTheirIntent(t *testing.T) {
	var calls []struct {
		Segments []struct {
			Role       string `json:"speaker_role"`
			Human      string `json:"human_transcript"`
			Recogniser string `json:"transcript"`
		}
		Tasks []struct {
			Type string `json:"task_type"`
		}
	}
	if err := json.Unmarshal(devFile(t, "harpervalley_sample.json"), &calls); err != nil {
		t.Fatal(err)
	}
	packs := must(t, "service")
	for i, c := range calls {
		for _, human := range []bool{true, false} {
			var turns []recaller.Turn
			for _, s := range c.Segments {
				turn := recaller.Turn{Speaker: recaller.Assistant, Text: s.Recogniser, Confidence: 1}
				if s.Role == "caller" {
					turn.Speaker = recaller.User
				}
				if human {
					turn.Text = s.Human
				}
				turns = append(turns, turn)
			}
			got := Analyse(turns, nil, false, packs)
			if want := bank[c.Tasks[0].Type]; got.Intent != want {
				t.Errorf("call %d (human transcript: %v): got intent %s, want %s", i, human, got.Intent, want)
			}
			t.Logf("call %d: %+v", i, got)
		}
	}
}

func call(lines ...string) []recaller.Turn {
	var out []recaller.Turn
	for i, l := range lines {
		who, text, _ := strings.Cut(l, ": ")
		out = append(out, recaller.Turn{Number: i, Speaker: recaller.Speaker(who), Text: text, Confidence: 1})
	}
	return out
}

func TestWordsAreMatchedWhole(t *testing.T) {
	tests := []struct{ text, want string }{
		{"How is the weather up there?", "general-info"},
		{"I had a coffee with Brian", "general-info"},
		{"Where can we eat?", "restaurant"},
		{"What's the fee?", "pricing"},
		{"I booked for Sunday", "tee-time"},
		{"We are thinking of booking", "tee-time"},
		{"Tee time please", "tee-time"},
		{"The disclosure was opaque", "general-info"},
		{"We'd like a wedding reception with a menu", "event"},
	}
	for _, tt := range tests {
		if got := Analyse(call("user: "+tt.text), nil, false, must(t, "golf")).Intent; got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestGolfLabelsAndTheirPriorityAreTheSources(t *testing.T) {
	p := must(t, "golf")[0]
	if got, want := strings.Join(append(labels(p.intents), p.fallback), " "), "event tee-time restaurant lessons pricing hours general-info"; got != want {
		t.Errorf("got intents %s, want %s", got, want)
	}
	if got, want := strings.Join(labels(p.outcomes), " "), "booking-made callback-requested question-answered"; got != want {
		t.Errorf("got outcomes %s, want %s", got, want)
	}
	if got, want := strings.Join(labels(p.topics), " "), "tee-time weekend weekday pricing restaurant cart event lesson hours directions"; got != want {
		t.Errorf("got topics %s, want %s", got, want)
	}
}

func TestTheCallersWishCountsMoreThanTheAgentsTalk(t *testing.T) {
	a := Analyse(call(
		"assistant: Welcome! We do weddings, lessons and dinner in our restaurant. How can I help?",
		"user: I want to book a tee time on Saturday",
		"assistant: Would you like to hear about our restaurant menu and our wedding party offers?",
		"user: No. Thanks, perfect.",
		"assistant: I've noted that down and someone will confirm shortly."), nil, false, must(t, "golf"))
	if a.Intent != "tee-time" || a.Outcome != "booking-made" || a.Sentiment != Neutral || a.By != "rules" {
		t.Errorf("got %+v, want tee-time, booking-made, neutral by rules: a thank you is no feeling", a)
	}
}

func TestSentimentHeedsNegation(t *testing.T) {
	tests := []struct{ text, want string }{
		{"I'm happy with it", Positive},
		{"I'm not happy with it", Negative},
		{"It's no problem", Neutral},
		{"There are no issues", Neutral},
		{"I have a problem and I'm angry", Negative},
		{"I never said it was terrible", Neutral},
		{"No, that's wonderful", Positive},
		{"My name is Ann", Neutral},
	}
	for _, tt := range tests {
		if got := Analyse(call("user: "+tt.text), nil, false, must(t, "service", "golf")).Sentiment; got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestOutcomes(t *testing.T) {
	tests := []struct {
		turns []recaller.Turn
		want  string
	}{
		{call("user: Can someone call me back?", "assistant: We'll call you back at five."), "callback-requested"},
		{call("user: My sink leaks", "assistant: Your appointment is confirmed for Monday."), "booking-made"},
		{call("user: My sink leaks", "assistant: Your appointment is not confirmed."), "unresolved"},
		{call("user: Reset my password", "assistant: Your password has been reset.", "user: Thanks"), "resolved"},
		{call("user: When are you open?", "assistant: Until six.", "user: Thank you, bye"), "question-answered"},
		{call("user: I am calling about"), "unresolved"},
		{nil, "unresolved"},
	}
	for _, tt := range tests {
		if got := Analyse(tt.turns, nil, false, must(t, "service")).Outcome; got != tt.want {
			t.Errorf("%v: got %s, want %s", tt.turns, got, tt.want)
		}
	}
}

func TestWordsCutOffSettleNothing(t *testing.T) {
	turns := call("user: My sink leaks", "assistant: Your appointment is confirmed for Monday.")
	turns[1].Interrupted = true
	if got := Analyse(turns, nil, false, must(t, "service")).Outcome; got != Unresolved {
		t.Errorf("got %s from words that were cut off, want %s", got, Unresolved)
	}
}

func TestPackErrorsNameTheField(t *testing.T) {
	tests := []struct{ json, field string }{
		{`{`, "pack"},
		{`[]`, "pack"},
		{`{"name":"x"} 1`, "pack"},
		{`{"name":"Bad Name"}`, "name"},
		{`{"name":"x","color":1}`, "color"},
		{`{"name":"x","intents":[{"label":"a","phrases":["b"]},{"label":"a","phrases":["c"]}]}`, "intents[1].label"},
		{`{"name":"x","intents":[{"label":"a","phrases":[]}]}`, "intents[0].phrases"},
		{`{"name":"x","topics":[{"label":"a","phrases":["ok","* b"]}]}`, "topics[0].phrases[1]"},
		{`{"name":"x","outcomes":[{"label":"a","by":"boss","phrases":["b"]}]}`, "outcomes[0].by"},
		{`{"name":"x","positive":["  "]}`, "positive[0]"},
	}
	for _, tt := range tests {
		_, err := ParsePack([]byte(tt.json))
		var e *recaller.Error
		if !errors.As(err, &e) || e.Kind != recaller.Invalid || e.Field != tt.field {
			t.Errorf("%s: got error %v, want Invalid at %s", tt.json, err, tt.field)
		}
	}
	if _, err := Packs([]string{"service", "chess"}); !errors.Is(err, recaller.Invalid) {
		t.Errorf("got %v for a pack that does not exist, want Invalid", err)
	}
}

func TestATenantsOwnPackComesFirst(t *testing.T) {
	own, err := ParsePack([]byte(`{"name":"dentist","intents":[{"label":"whitening","phrases":["white|whiten * teeth"]}],"default_intent":"front-desk"}`))
	if err != nil {
		t.Fatal(err)
	}
	packs := append([]Pack{own}, must(t, "service")...)
	if got := Analyse(call("user: can you whiten my front teeth"), nil, false, packs).Intent; got != "whitening" {
		t.Errorf("got %s, want whitening", got)
	}
	if got := Analyse(call("user: hello there"), nil, false, packs).Intent; got != "front-desk" {
		t.Errorf("got %s, want the pack's own fallback", got)
	}
}

func FuzzParsePack(f *testing.F) {
	f.Add([]byte(`{"name":"x","intents":[{"label":"a","phrases":["b * c|d"]}]}`), "b to the c")
	f.Add([]byte(`{"name":"x","positive":["|"]}`), "")
	f.Fuzz(func(t *testing.T, raw []byte, text string) {
		p, err := ParsePack(raw)
		if err != nil {
			if !errors.Is(err, recaller.Invalid) {
				t.Errorf("got %v, want Invalid", err)
			}
			return
		}
		a := Analyse([]recaller.Turn{{Speaker: recaller.User, Text: text}}, nil, false, []Pack{p})
		if a.Intent == "" || a.Outcome == "" || a.Sentiment == "" {
			t.Errorf("got %+v, want every label", a)
		}
	})
}
