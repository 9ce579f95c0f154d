package answer_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup/answer"
)

type writeUp struct {
	name string
	text string
	cut  bool
	want recaller.Summary
	err  bool
}

const layout = `## Voice Call Summary — 2026-02-06 11:15 PM

**Session:** voice-session:abc123
**Duration:** 4m 22s
**Caller:** Asim (+16479802995)

### Topics Discussed
- Remem indexing fix for Orlando search
- Voice session persistence design

### Key Decisions
- Store summarized content in Remem, not raw transcripts

### Action Items
- [ ] Build voice session memory into DeepClaw
- [x] Test callback context loading

### Important Facts
None

### Context for Next Call
We were working on making voice calls remember prior conversations. The approach is to summarize calls on hangup.

Let me know if you need more.`

var full = recaller.Summary{
	Brief: "Booked a tee time.", Topics: []string{"tee times"}, Decisions: []string{"Saturday at ten"}, Actions: []string{"Confirm two carts"},
	Facts: []string{"Four players"}, Next: "She rings back with names.",
}

var writeUps = []writeUp{
	{name: "as it was asked for", text: `{"brief":"Booked a tee time.","topics":["tee times"],"decisions":["Saturday at ten"],"actions":["Confirm two carts"],"facts":["Four players"],"next":"She rings back with names."}`, want: full},
	{name: "V5's section names", text: "```json\n" + `{"Summary":"Booked a tee time.","Topics Discussed":["tee times"],"Key Decisions":["Saturday at ten"],"Action Items":["- [ ] Confirm two carts"],"Important Facts":["Four players"],"Context for Next Call":"She rings back with names."}` + "\n```", want: full},
	{name: "wrapped", text: `{"summary":{"brief":"Booked a tee time.","topics":["tee times"],"decisions":["Saturday at ten"],"actions":["Confirm two carts"],"facts":["Four players"],"next":"She rings back with names."}}`, want: full},
	{name: "in a list", text: `Sure! [{"brief":"Booked a tee time.","topics":[],"decisions":[],"actions":[],"facts":[],"next":""}]`, want: recaller.Summary{Brief: "Booked a tee time."}},
	{name: "texts in place of lists, a list in place of a text", text: `{"brief":["Booked","a tee time."],"topics":"tee times","decisions":"- one\n- two","actions":null,"facts":[{"fact":"Four players","turn":3}],"next":""}`, want: recaller.Summary{Brief: "Booked a tee time.", Topics: []string{"tee times"}, Decisions: []string{"one", "two"}, Facts: []string{"Four players, 3"}}},
	{name: "fillers, greetings, repeats", text: `{"brief":"Um, booked a tee time.","topics":["Greetings","tee times","Tee times.","Small talk"],"decisions":["None"],"actions":["Confirm two carts"],"facts":["confirm two carts!","Four, uh, players"],"next":"Um, booked a tee time"}`, want: recaller.Summary{Brief: "booked a tee time.", Topics: []string{"tee times"}, Actions: []string{"Confirm two carts"}, Facts: []string{"Four, players"}}},
	{name: "a section twice", text: `{"brief":"A.","topics":["a"],"topics":["b"],"decisions":[],"actions":[],"facts":[],"next":""}`, want: recaller.Summary{Brief: "A.", Topics: []string{"b"}}},
	{name: "too many lines", text: `{"brief":"A b.","topics":["1a","2a","3a","4a","5a","6a","7a","8a","9a"],"decisions":[],"actions":[],"facts":[],"next":""}`, want: recaller.Summary{Brief: "A b.", Topics: []string{"1a", "2a", "3a", "4a", "5a", "6a", "7a", "8a"}}},
	{name: "too long", text: `{"brief":"Saw Dr. Ames about the knee. ` + strings.Repeat("and so on ", 40) + `","topics":["` + strings.Repeat("word ", 60) + `"],"decisions":[],"actions":[],"facts":[],"next":"` + strings.Repeat("word ", 80) + `"}`, want: recaller.Summary{
		Brief: "Saw Dr. Ames about the knee.", Topics: []string{strings.TrimSpace(strings.Repeat("word ", 39)) + "…"}, Next: strings.TrimSpace(strings.Repeat("word ", 59)) + "…",
	}},
	{name: "another language", text: `{"brief":"予約しました。","topics":["ゴルフ"],"decisions":["なし"],"actions":[],"facts":[],"next":""}`, want: recaller.Summary{Brief: "予約しました。", Topics: []string{"ゴルフ"}}},
	{name: "broken off in a list", text: `{"brief":"Booked a tee time.","topics":["tee times","gol`, cut: true, want: recaller.Summary{Brief: "Booked a tee time.", Topics: []string{"tee times"}}},
	{name: "broken off in the second sentence of the brief", text: `{"brief":"Booked a tee time. She will ri`, cut: true, want: recaller.Summary{Brief: "Booked a tee time."}},
	{name: "broken off in the first sentence", text: `{"brief":"Booked a te`, cut: true, err: true},
	{name: "V5's layout", text: layout, want: recaller.Summary{
		Brief:  "We were working on making voice calls remember prior conversations. The approach is to summarize calls on hangup.",
		Topics: []string{"Remem indexing fix for Orlando search", "Voice session persistence design"}, Decisions: []string{"Store summarized content in Remem, not raw transcripts"},
		Actions: []string{"Build voice session memory into DeepClaw", "Test callback context loading"},
	}},
	{name: "V5's list with a paragraph before", text: "Here is the summary:\nThe caller booked a tee time.\n\n1. **Topics Discussed** - tee times\n2. **Key Decisions**: Saturday at ten\n3. **Action Items**\n   * Confirm two carts\n5. Context for Next Call: She rings back", want: recaller.Summary{
		Brief: "The caller booked a tee time.", Topics: []string{"tee times"}, Decisions: []string{"Saturday at ten"}, Actions: []string{"Confirm two carts"}, Next: "She rings back",
	}},
	{name: "V5's layout, broken off", text: "### Topics Discussed\n- tee times\n### Context for Next Call\nShe rings back.\n### Key Decisions\n- Satur", cut: true, want: recaller.Summary{Brief: "She rings back.", Topics: []string{"tee times"}}},
	{name: "no brief", text: `{"topics":["tee times"],"decisions":[],"actions":[],"facts":[],"next":""}`, err: true},
	{name: "an empty brief", text: `{"brief":" ","topics":["tee times"],"decisions":[],"actions":[],"facts":[],"next":"x"}`, err: true},
	{name: "prose", text: "The caller booked a tee time for Saturday.", err: true},
	{name: "a refusal", text: "I'm sorry, I can't help with that.", err: true},
	{name: "empty", text: "", err: true},
	{name: "a page of a proxy", text: "<html><body><h1>502</h1>topics: a</body></html>", err: true},
	{name: "the memories", text: whole, err: true},
}

func TestWhatCanBeReadOfASummaryIsKept(t *testing.T) {
	for _, test := range writeUps {
		t.Run(test.name, func(t *testing.T) {
			got, err := answer.Summary(test.text, test.cut)
			if (err != nil) != test.err || err != nil && recaller.KindOf(err) != recaller.Invalid {
				t.Errorf("got error %v, want one: %v", err, test.err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
