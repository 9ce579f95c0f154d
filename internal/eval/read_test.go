package eval_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/eval"
	"github.com/recallerhq/recaller/internal/recall"
)

// file returns a file of testdata.
func file(tb testing.TB, name string) string {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// read reads all cases of a text.
func read(text string, format eval.Format, how eval.Reading) ([]eval.Case, eval.Notes, error) {
	var all []eval.Case
	var notes eval.Notes
	for c, err := range eval.Read(strings.NewReader(text), format, how, &notes) {
		if err != nil {
			return all, notes, err
		}
		all = append(all, c)
	}
	return all, notes, nil
}

// gold writes questions with where their answers are, by the file's ids.
func gold(cases []eval.Case) []string {
	var all []string
	for i := range cases {
		c := &cases[i]
		for _, q := range c.Questions {
			line := q.ID + " " + q.Type + ":"
			for _, id := range q.Sessions {
				line += " " + c.FileID(string(id))
			}
			line += " /"
			for _, id := range q.Turns {
				line += " " + c.FileID(string(id))
			}
			all = append(all, line)
		}
	}
	return all
}

func TestLoCoMosQuestionsAndTheirDirtyEvidence(t *testing.T) {
	t.Parallel()
	cases, notes, err := read(file(t, "locomo.json"), eval.LoCoMo, eval.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{
		"pair-1/0 temporal: D1 / D1:1",
		"pair-1/1 multi-hop: D1 D2 / D1:2 D2:1",
		"pair-1/2 open-domain: D1 D2 / D1:1 D2:2",
		"pair-1/3 single-hop: D2 / D2:2",
	}, gold(cases)); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
	if want := (eval.Notes{Adversarial: 1, WithoutEvidence: 2, Unreadable: 1, Unknown: 2}); notes != want {
		t.Errorf("left out %+v, want %+v", notes, want)
	}
	first := cases[0].Questions[0]
	if want := time.Date(2023, 6, 3, 0, 5, 0, 0, time.UTC); !first.At.Equal(want) {
		t.Errorf("asked at %v, want a day after the last session that has turns, %v", first.At, want)
	}
	if first.Answer != "7 May 2023" || cases[0].Questions[2].Answer != "2023" {
		t.Errorf("answers %q and %q", first.Answer, cases[0].Questions[2].Answer)
	}
	all, notes, err := read(file(t, "locomo.json"), eval.LoCoMo, eval.Reading{AllCategories: true})
	if err != nil || notes.Adversarial != 0 || len(all[0].Questions) != 5 || all[0].Questions[4].Type != "adversarial" {
		t.Errorf("with all categories: %v, %+v, %d questions", err, notes, len(all[0].Questions))
	}
}

func TestLoCoMosSpeakersAreTwoPeopleWithNames(t *testing.T) {
	t.Parallel()
	cases, _, err := read(file(t, "locomo.json"), eval.LoCoMo, eval.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, conv := range cases[0].Corpus.Conversations {
		for _, turn := range cases[0].Corpus.Turns[conv.ID] {
			said = append(said, fmt.Sprintf("%s %s %s: %s", turn.At.Format("2006-01-02 15:04"), turn.Speaker, turn.Name, turn.Text))
		}
	}
	if diff := cmp.Diff([]string{
		"2023-05-08 13:56 user Ines: We got the keys to the new flat yesterday!",
		"2023-05-08 13:57 user Bram: Look at mine. [shares a photo: a photo of a red canoe on a lake]",
		"2023-06-02 00:05 user Bram: The canoe sank, so I sold the paddles.",
		"2023-06-02 00:06 user Ines: Oh no. My pottery class begins on Friday.",
	}, said); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
}

func TestOurOwnFormat(t *testing.T) {
	t.Parallel()
	cases, notes, err := read(file(t, "native.json"), eval.Native, eval.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{
		"maria/noise single: boiler / boiler:1",
		"maria/price single: invoice / invoice-question",
		"maria/tom several: boiler invoice / boiler:2 invoice:2",
		"maria/travel single: garden /",
	}, gold(cases)); diff != "" || notes != (eval.Notes{}) {
		t.Errorf("notes %+v, questions (-want +got):\n%s", notes, diff)
	}
	turns := cases[0].Corpus.Turns["c0001"]
	if turns[0].Name != "Maria" || turns[1].Speaker != recaller.Assistant || turns[1].At.Sub(turns[0].At) != time.Minute {
		t.Errorf("got turns %+v", turns)
	}
	if cases[0].Questions[1].Answer != "240" {
		t.Errorf("answer %q", cases[0].Questions[1].Answer)
	}
}

func TestLongMemEvalsAbstentionIsLeftOut(t *testing.T) {
	t.Parallel()
	const file = `[{"question_id":"1_abs","question_date":"2023/05/30 (Tue) 23:40"},
		{"question_id":"2","question_type":"t","question":"q","answer":7,"question_date":"2023/05/30 (Tue) 23:40","haystack_dates":["2023/05/20 (Sat) 15:08","2023/05/20 (Sat) 15:08"],
		 "haystack_session_ids":["s","s"],"haystack_sessions":[[{"role":"user","content":"hi","has_answer":true}],[{"role":"user","content":"hi"}]],"answer_session_ids":["s"]},
		{"question_id":"3","question_type":"t","question":"q","question_date":"2023/05/30 (Tue) 23:40","haystack_dates":[],"haystack_session_ids":[],"haystack_sessions":[],"answer_session_ids":["s"]}]`
	cases, notes, err := read(file, eval.LongMemEval, eval.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"2 t: s / s-0"}, gold(cases)); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
	if want := (eval.Notes{Abstention: 1, WithoutEvidence: 1, Unknown: 1}); notes != want {
		t.Errorf("left out %+v, want %+v", notes, want)
	}
	if len(cases[0].Corpus.Conversations) != 1 {
		t.Errorf("a session that is there twice makes %d conversations", len(cases[0].Corpus.Conversations))
	}
}

func TestConversationsAreInOrderOfTime(t *testing.T) {
	t.Parallel()
	const file = `[{"question_id":"1","question_type":"t","question":"q","question_date":"2023/05/30 (Tue) 23:40","haystack_dates":["2023/05/21 (Sun) 15:08","2023/05/20 (Sat) 15:08"],
		"haystack_session_ids":["late","early"],"haystack_sessions":[[{"role":"user","content":"b"}],[{"role":"user","content":"a"}]],"answer_session_ids":["late"]}]`
	cases, _, err := read(file, eval.LongMemEval, eval.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	if got := cases[0].FileID("c0001") + " " + cases[0].FileID("c0002"); got != "early late" {
		t.Errorf("got %s", got)
	}
}

func TestAMalformedFileSaysWhatWasExpected(t *testing.T) {
	t.Parallel()
	const when = `"question_date":"2023/05/30 (Tue) 23:40"`
	head := `{"format":"recaller-eval/1","people":[`
	for _, c := range []struct {
		format     eval.Format
		text, says string
	}{
		{eval.LongMemEval, ``, "expected a list of questions"},
		{eval.LongMemEval, `{}`, "expected a list of questions"},
		{eval.LongMemEval, `[{]`, "question 1: "},
		{eval.LongMemEval, `[{` + when + `}`, "the list does not end"},
		{eval.LongMemEval, `[{"question_date":"yesterday"}]`, `question 1: question_date is no time: expected such as "2023/05/30`},
		{eval.LongMemEval, `[{` + when + `,"haystack_session_ids":["a"]}]`, "question 1: haystack_sessions, haystack_session_ids and haystack_dates differ"},
		{eval.LongMemEval, `[{` + when + `,"haystack_session_ids":["a"],"haystack_dates":["x"],"haystack_sessions":[[]]}]`, "question 1: haystack_dates[0] is no time"},
		{eval.LongMemEval, `[{` + when + `,"answer":{}}]`, "answer: expected a string, a number"},
		{eval.LongMemEval, `[{` + when + `,"answer":[1]}]`, "answer: expected a string, a number"},
		{eval.LoCoMo, `{}`, "expected a list of samples"},
		{eval.LoCoMo, `[{}]`, "sample 1: conversation: expected at least one session_1"},
		{eval.LoCoMo, `[{"conversation":{"session_1":[{"text":"x"}]}}]`, `conversation.session_1_date_time: expected such as "1:56 pm`},
		{eval.LoCoMo, `[{"conversation":{"session_1":[{"text":"x"}],"session_1_date_time":"noon"}}]`, "conversation.session_1_date_time is no time"},
		{eval.LoCoMo, `[{"conversation":{"session_1":"x"}}]`, "conversation.session_1: "},
		{eval.LoCoMo, `[{"conversation":{"session_1":[{"text":"x"}],"session_1_date_time":"1:56 pm on 8 May, 2023"},"qa":[{"category":6}]}]`, "sample 1: qa[0]: category: expected a number from 1 to 5"},
		{eval.Native, `[]`, "expected an object with format and people"},
		{eval.Native, `{}`, "people: expected a list"},
		{eval.Native, `{"people":[]}`, `format: expected "recaller-eval/1" before people`},
		{eval.Native, `{"format":"recaller-eval/2"}`, `format: expected "recaller-eval/1"`},
		{eval.Native, `{"persons":[]}`, "an unknown field: expected format, name and people"},
		{eval.Native, head + `{"id":"p","calls":[]}]}`, `people[0]: json: unknown field "calls"`},
		{eval.Native, head + `{"conversations":[{"at":"2026-05-30"}]}]}`, "people[0]: conversations[0].id: expected one"},
		{eval.Native, head + `{"conversations":[{"id":"c","at":"soon"}]}]}`, "conversations[0].at: expected a time such as"},
		{eval.Native, head + `{"conversations":[{"id":"c","at":"2026-05-30"},{"id":"c","at":"2026-05-30"}]}]}`, "conversations[1].id: expected one that no other"},
		{eval.Native, head + `{"conversations":[{"id":"c","at":"2026-05-30","turns":[{"speaker":"agent"}]}]}]}`, "conversations[0].turns[0].speaker: expected user or assistant"},
		{eval.Native, head + `{"conversations":[{"id":"c","at":"2026-05-30","turns":[{"id":"c:2","speaker":"user"},{"speaker":"user"}]}]}]}`, "turns[1].id: expected one that no other"},
		{eval.Native, head + `{"questions":[{"id":"q","text":"x","asked_at":"later"}]}]}`, "questions[0].asked_at: expected a time"},
		{eval.Native, head + `{"questions":[{"id":" ","text":"x","asked_at":"2026-05-30"}]}]}`, "questions[0].id: expected one"},
		{eval.Native, head + `{"questions":[{"id":"q","text":" \n","asked_at":"2026-05-30"}]}]}`, "questions[0].text: expected a question of at most 8192 bytes"},
		{eval.Native, head + `{"questions":[{"id":"q","text":"` + strings.Repeat("x", 8193) + `","asked_at":"2026-05-30"}]}]}`, "questions[0].text: expected a question of at most 8192 bytes"},
		{eval.Native, head + `{"questions":[{"id":"q","text":"x","asked_at":"2026-05-30","turns":["c:1"]}]}]}`, "questions[0]: turns or conversations: expected ids of this person's"},
		{eval.Native, head + `]`, "the object does not end"},
	} {
		_, _, err := read(c.text, c.format, eval.Reading{})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %s: got error %v, want one with %q", c.format, c.text, err, c.says)
		}
	}
}

// One question that recall does not take must not cost the measurement of all others.
func TestAQuestionThatCannotBeAskedIsLeftOut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 8193)
	var records []string
	for i, text := range []string{" ", "Where is the key?", long} {
		records = append(records, fmt.Sprintf(`{"question_id":"%d","question_type":"t","question":%q,"question_date":"2023/05/30 (Tue) 23:40","haystack_dates":["2023/05/20 (Sat) 15:08"],
			"haystack_session_ids":["s"],"haystack_sessions":[[{"role":"user","content":"Under the mat."}]],"answer_session_ids":["s"]}`, i+1, text))
	}
	dialogue := `[{"sample_id":"pair","conversation":{"session_1":[{"dia_id":"D1:1","speaker":"Ines","text":"Under the mat."}],"session_1_date_time":"1:56 pm on 8 May, 2023"},
		"qa":[{"question":"","category":1,"evidence":["D1:1"]},{"question":"Where is the key?","category":1,"evidence":["D01:001"]},{"question":"` + long + `","category":1,"evidence":["D1:1"]}]}]`
	for format, c := range map[eval.Format]struct{ text, want string }{
		eval.LongMemEval: {"[" + strings.Join(records, ",") + "]", "2 t: s /"},
		eval.LoCoMo:      {dialogue, "pair/1 multi-hop: D1 / D1:1"},
	} {
		cases, notes, err := read(c.text, format, eval.Reading{})
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		if diff := cmp.Diff([]string{c.want}, gold(cases)); diff != "" || notes != (eval.Notes{Unaskable: 2}) {
			t.Errorf("%s: left out %+v, questions (-want +got):\n%s", format, notes, diff)
		}
		seq := eval.Read(strings.NewReader(c.text), format, eval.Reading{}, &eval.Notes{})
		if _, err := eval.Run(t.Context(), seq, []eval.Method{eval.Recall("recall", recall.Options{})}, eval.Options{Now: tick()}); err != nil {
			t.Errorf("%s: %v", format, err)
		}
	}
}

func TestAByteOrderMarkIsPassedOver(t *testing.T) {
	t.Parallel()
	for format, name := range map[eval.Format]string{eval.Native: "native.json", eval.LoCoMo: "locomo.json"} {
		plain, _, err := read(file(t, name), format, eval.Reading{})
		if err != nil {
			t.Fatal(err)
		}
		marked, _, err := read("\uFEFF"+file(t, name), format, eval.Reading{})
		if err != nil {
			t.Errorf("%s: %v", format, err)
		}
		if diff := cmp.Diff(gold(plain), gold(marked)); diff != "" {
			t.Errorf("%s (-plain +marked):\n%s", format, diff)
		}
	}
}

func TestAGzippedFileIsReadAsAPlainOne(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(file(t, "native.json"))); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "questions") // what it is called does not matter
	if err := os.WriteFile(path, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	zipped, err := eval.Load(path, eval.Native)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := eval.Load(filepath.Join("testdata", "native.json"), eval.Native)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(gold(plain), gold(zipped)); diff != "" {
		t.Errorf("(-plain +zipped):\n%s", diff)
	}
	if err := os.WriteFile(path, packed.Bytes()[:packed.Len()/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := eval.Load(path, eval.Native); err == nil {
		t.Error("half a file is read without an error")
	}
}

func TestAFileSaysWhichItIsHoweverMuchOfItWasRead(t *testing.T) {
	t.Parallel()
	text := file(t, "questions.json")
	sum := sha256.Sum256([]byte(text))
	f := open(t, filepath.Join("testdata", "questions.json"), eval.LongMemEval)
	for _, err := range f.Cases() {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	data, err := f.Data()
	if err != nil {
		t.Fatal(err)
	}
	if data.SHA256 != hex.EncodeToString(sum[:]) || data.Bytes != int64(len(text)) || data.File != "questions.json" || f.Share() != 1 {
		t.Errorf("got %+v, %v read", data, f.Share())
	}
}

func TestAFileThatIsNotThere(t *testing.T) {
	t.Parallel()
	if _, err := eval.Open("nowhere.json", eval.Native, eval.Reading{}); !errors.Is(err, os.ErrNotExist) || err.Error() != "nowhere.json: no such file or directory" {
		t.Errorf("got %v", err)
	}
	if _, err := eval.Open("testdata", eval.Native, eval.Reading{}); err == nil || !strings.Contains(err.Error(), "testdata is a folder") {
		t.Errorf("a folder: got %v", err)
	}
}

// Whatever a file holds: no panic, and what was read is sound.
func fuzz(f *testing.F, format eval.Format, seeds ...string) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		cases, _, err := read(string(text), format, eval.Reading{AllCategories: true})
		if err != nil {
			return
		}
		for i := range cases {
			for _, q := range cases[i].Questions {
				if len(q.Sessions) == 0 {
					t.Errorf("question %q has no gold", q.ID)
				}
				for _, id := range q.Sessions {
					if _, ok := cases[i].Corpus.Turns[id]; !ok {
						t.Errorf("question %q: gold %q is not in the corpus", q.ID, id)
					}
				}
			}
		}
	})
}

func FuzzLongMemEval(f *testing.F) {
	fuzz(f, eval.LongMemEval, `[]`, `[{"question_id":"1_abs"}]`, `[{"question_id":"1","question":"q","answer":7,"question_date":"2023/05/30 (Tue) 23:40","haystack_dates":["2023/05/20 (Sat) 15:08"],
		"haystack_session_ids":["s"],"haystack_sessions":[[{"role":"user","content":"hi","has_answer":true}]],"answer_session_ids":["s"]}]`)
}

func FuzzLoCoMo(f *testing.F) {
	fuzz(f, eval.LoCoMo, `[]`, `[{"conversation":{"session_1":[{"dia_id":"D1:1 D1:2"}],"session_1_date_time":"1:56 pm on 8 May, 2023"},"qa":[{"category":1,"evidence":"D1:1"}]}]`,
		`[{"conversation":{"session_2":[{"dia_id":"D2:1","text":"x"}],"session_2_date_time":"1:56 pm on 8 May, 2023"},"qa":[{"category":5,"evidence":["D2:01; D","D:2:1"]}]}]`)
}

func FuzzNative(f *testing.F) {
	fuzz(f, eval.Native, `{"format":"recaller-eval/1","people":[]}`, people(1))
}
