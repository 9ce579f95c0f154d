package summary_test

import (
	"bufio"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup/summary"
)

var update = flag.Bool("update", false, "write the golden files anew")

// script reads a call of ours from testdata: "speaker: text" lines.
func script(t *testing.T, name string) []recaller.Turn {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []recaller.Turn
	for sc := bufio.NewScanner(f); sc.Scan(); {
		who, text, _ := strings.Cut(sc.Text(), ": ")
		out = append(out, recaller.Turn{Number: len(out), Speaker: recaller.Speaker(who), Text: text, Confidence: 1})
	}
	return out
}

func document(s recaller.Summary) string {
	eastern := time.FixedZone("EST", -5*3600)
	_, md, _ := summary.Document(s, summary.Header{
		Session: "voice-session:abc123", Channel: recaller.ChannelVoice, Duration: 262 * time.Second,
		StartedAt: time.Date(2026, 2, 6, 23, 15, 0, 0, eastern), Name: "Asim", Number: "+16479802995",
	})
	return "Brief: " + s.Brief + "\n\n" + md + "\n"
}

func TestSummariesOfOurOwnCalls(t *testing.T) {
	tests := []struct {
		name string
		must []string
		not  []string
	}{
		{"card", []string{"lost their debit card", "555-019-2276", "12 oak lane", "five business days", "Rosa Klein"}, []string{"dana", "north bank", "the the", " uh", "great day", "mm hmm"}},
		{"plumbing", []string{"leaking", "742 Evergreen Terrace", "dog", "tomorrow between 9 and 11", "$85", "side gate open", "main valve"}, []string{"um,", "you know", "is, is", "Good morning", "Thanks a lot", "sorry to hear"}},
		{"golf", []string{"book a tee time for Saturday at 10 am", "Players: four", "$63", "Marcus Webb", "confirm shortly"}, []string{"Awesome", "Sounds good", "uh,", "How can I help"}},
		{"companion", []string{"nee", "Ruth visits on Thursday", "remind them tomorrow morning to call the doctor", "grandson Leo", "six in March"}, []string{"Good morning", "you know", "Bye", "Take care"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := document(summary.Write(script(t, tt.name), summary.Options{CallerName: map[string]string{"companion": "Ida"}[tt.name]}))
			for _, m := range tt.must {
				if !strings.Contains(got, m) {
					t.Errorf("the summary does not say %q:\n%s", m, got)
				}
			}
			for _, n := range tt.not {
				if strings.Contains(strings.ToLower(got), strings.ToLower(n)) {
					t.Errorf("the summary still says %q:\n%s", n, got)
				}
			}
			golden(t, tt.name, got)
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); -update writes it anew:\n%s", path, diff)
	}
}

func turns(lines ...string) []recaller.Turn {
	var out []recaller.Turn
	for i, l := range lines {
		who, text, _ := strings.Cut(l, ": ")
		out = append(out, recaller.Turn{Number: i, Speaker: recaller.Speaker(who), Text: text, Confidence: 1})
	}
	return out
}

func TestShortAndStrangeConversations(t *testing.T) {
	tests := []struct {
		name  string
		turns []recaller.Turn
		brief string
	}{
		{"nothing was said", nil, "The call ended before anything was said."},
		{"only noise", turns("user: [noise]", "assistant: "), "The call ended before anything was said."},
		{"only greetings", turns("assistant: Hello, how can I help?", "user: Hi."), "Nothing but greetings was said."},
		{"one request", turns("user: i need to change my appointment on friday"), "Caller wanted to change their appointment on friday."},
		{"another language", turns("assistant: Guten Tag, was kann ich für Sie tun?", "user: Ich habe meine Kreditkarte verloren und brauche bitte eine neue Karte."), "Caller: “Ich habe meine Kreditkarte verloren und brauche bitte eine neue Karte”"},
		{"a language without spaces", turns("user: クレジットカードをなくしました。新しいカードを送ってください。"), "Caller: “クレジットカードをなくしました”"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := summary.Write(tt.turns, summary.Options{})
			if got.Brief != tt.brief || got.By != "rules" {
				t.Errorf("got brief %q by %q, want %q by rules", got.Brief, got.By, tt.brief)
			}
		})
	}
}

func TestWordsCutOffOrHardlyHeardAreNoFacts(t *testing.T) {
	call := turns("assistant: How can I help?", "user: My boiler is broken.", "assistant: What is your address?", "user: It's 12 Oak Lane.", "user: My cousin Bernard owns forty sheep.", "assistant: I'll send you a gold medal.", "user: Thanks, bye.")
	call[3].Confidence, call[4].Confidence = 0.3, 0.2
	call[5].Interrupted = true
	got := text(summary.Write(call, summary.Options{}))
	for _, no := range []string{"12 Oak Lane", "sheep", "gold medal"} {
		if strings.Contains(got, no) {
			t.Errorf("the summary tells %q, which was hardly heard or cut off:\n%s", no, got)
		}
	}
	if !strings.Contains(got, "boiler is broken") {
		t.Errorf("the summary leaves out what was heard:\n%s", got)
	}
}

func TestQuestionsAndAnswersBecomeStatements(t *testing.T) {
	tests := []struct{ question, answer, want string }{
		{"Any allergies?", "Penicillin.", "Allergies: Penicillin"},
		{"Do you have any allergies to anything?", "Uh, no.", "No allergies"},
		{"what is the transfer amount", "uh the amount is one hundred and thirty five dollars", "Transfer amount: $135"},
		{"what is your phone number", "seven one five one three nine zero seven eight seven", "Phone: 715-139-0787"},
		{"Have you noticed any blood in your urine?", "Yes, a little this morning.", "Blood in urine: a little this morning"},
		{"what day would you like for your appointment", "saturday please", "Day: saturday"},
		{"What time?", "three forty five p m", "Time: 3:45 pm"},
		{"Do you smoke?", "No.", "Do you smoke? No"},
		{"How many players?", "Four.", "Players: four"},
		{"Could you read me the card number?", "four one one one one one one one one one one one one one one one", "…1111"},
	}
	for _, tt := range tests {
		got := summary.Write(turns("assistant: "+tt.question, "user: "+tt.answer, "assistant: Fine, thank you."), summary.Options{})
		if !strings.Contains(strings.Join(got.Facts, "\n"), tt.want) {
			t.Errorf("%s %s: got facts %q, want %q among them", tt.question, tt.answer, got.Facts, tt.want)
		}
	}
}

func TestSummaryKeepsWithinItsWords(t *testing.T) {
	var call []recaller.Turn
	for range 80 {
		call = append(call, script(t, "plumbing")...)
	}
	for _, n := range []int{1, 5, 20, 60, 120} {
		if got := len(strings.Fields(text(summary.Write(call, summary.Options{MaxWords: n})))); got > n {
			t.Errorf("at most %d words were asked for, got %d", n, got)
		}
	}
}

func TestDocumentIsLaidOutAsItsReadersExpect(t *testing.T) {
	s := recaller.Summary{Brief: "We designed persistence.", Topics: []string{"Indexing fix"}, Decisions: []string{"Store summaries"}, Actions: []string{"Test callback"}, Next: "Ship it."}
	h := summary.Header{Session: "voice-session:abc123", Channel: recaller.ChannelVoice, StartedAt: time.Date(2026, 2, 6, 23, 15, 0, 0, time.UTC), Duration: 262 * time.Second, Name: "Asim", Number: "+16479802995"}
	title, md, tags := summary.Document(s, h)
	if want := "Voice Call Summary — 2026-02-06 11:15 PM"; title != want {
		t.Errorf("got title %q, want %q", title, want)
	}
	want := `## Voice Call Summary — 2026-02-06 11:15 PM

**Session:** voice-session:abc123
**Duration:** 4m 22s
**Caller:** Asim (+16479802995)

### Topics Discussed
- Indexing fix

### Key Decisions
- Store summaries

### Action Items
- [ ] Test callback

### Context for Next Call
We designed persistence. Ship it.`
	if diff := cmp.Diff(want, md); diff != "" {
		t.Errorf("the document differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"voice-session", "phone-call"}, tags); diff != "" {
		t.Error(diff)
	}
	h.Channel = recaller.ChannelWebChat
	if title, _, _ := summary.Document(s, h); title != "Chat Summary — 2026-02-06 11:15 PM" {
		t.Errorf("got title %q for a web chat", title)
	}
}

func TestWordsCannotMakeHeadingsOfTheirOwn(t *testing.T) {
	_, md, _ := summary.Document(recaller.Summary{Facts: []string{"x\n### Action Items\n- [ ] pay me"}}, summary.Header{Name: "A\n## B"})
	if strings.Contains(md, "\n### Action") || strings.Contains(md, "\n## B") {
		t.Errorf("words that were said became a heading:\n%s", md)
	}
}

func FuzzWrite(f *testing.F) {
	f.Add("hi um my name is rosa", "what's your address", "it's it's 12 oak lane, o o one")
	f.Add("like, like-", "you know? [noise] <unk>", "i'm, I'll. $5 'cause … ?!")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		s := summary.Write([]recaller.Turn{{Speaker: recaller.User, Text: a}, {Speaker: recaller.Assistant, Text: b}, {Speaker: recaller.User, Text: c}, {Speaker: recaller.Assistant, Text: a}}, summary.Options{})
		if s.Brief == "" {
			t.Error("the brief is empty")
		}
	})
}

func BenchmarkWriteHours(b *testing.B) {
	var call []recaller.Turn
	for i := range 5000 {
		who := recaller.User
		if i%2 == 0 {
			who = recaller.Assistant
		}
		call = append(call, recaller.Turn{Number: i, Speaker: who, Text: strings.Repeat("we talked about the garden and the "+string(rune('a'+i%26))+"lphabet, you know. ", 3)})
	}
	for b.Loop() {
		summary.Write(call, summary.Options{})
	}
}
