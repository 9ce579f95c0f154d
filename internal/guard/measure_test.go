package guard

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/devdata"
)

// What is masked of the development data, in which few have anything to hide: service dialogues, whose callers name
// card numbers, social security numbers and passwords that were made up; medical consultations; calls to a bank;
// questions to an assistant and its answers. A hit that nothing in the text, or in what was said before it, calls a
// secret is one by its form alone: a true one, or a mistake. RECALLER_SHOW=guard prints them.
//
//	go test ./internal/guard -run TestLittleIsMaskedThatIsNotCalledASecret -v
func TestLittleIsMaskedThatIsNotCalledASecret(t *testing.T) {
	turns, byForm := 0, 0
	for _, set := range []struct {
		name string
		read func(*testing.T, func(text, asked string))
	}{
		{"dialogue_text.txt.gz", dialogues},
		{"natcs_insurance_utterances.jsonl", requests},
		{"primock57_dev.json", consultations},
		{"harpervalley_sample.json", bankCalls},
		{"longmemeval_s_dev.json.gz", assistants},
	} {
		n, hits, unnamed := 0, map[Kind]int{}, 0
		set.read(t, func(text, asked string) {
			n++
			_, found := Mask(text, asked)
			for _, k := range found {
				hits[k]++
			}
			if len(found) > 0 && !namesSecret(text, asked) {
				unnamed++
				show(t, text, asked)
			}
		})
		t.Logf("%-34s %6d turns: %v, of these by form alone in %d turns", set.name, n, hits, unnamed)
		turns, byForm = turns+n, byForm+unnamed
	}
	if byForm*10000 > turns*formCeiling {
		t.Errorf("%d of %d turns were masked for their form alone, want at most %d in 10,000", byForm, turns, formCeiling)
	}
}

// formCeiling is how many turns of 10,000 may be masked for their form alone.
const formCeiling = 2

// namesSecret reports whether words in a text, or before it, call something in it a secret.
func namesSecret(text, asked string) bool {
	for _, l := range labels(tokenize(text)) {
		if l.class != noClass && l.class != other && l.class != lastFour {
			return true
		}
	}
	return asks(asked).has(secret | toldCard | toldID)
}

func show(t *testing.T, text, asked string) {
	if os.Getenv("RECALLER_SHOW") != "guard" {
		return
	}
	for _, s := range find(text, asks(asked)) {
		t.Logf("%s in %q", s.mark, text[max(0, s.start-60):min(len(text), s.end+40)])
	}
}

func dialogues(t *testing.T, each func(text, asked string)) {
	lines := bufio.NewScanner(open(t, "dialogue_text.txt.gz"))
	for lines.Scan() {
		each(lines.Text(), "")
	}
}

func requests(t *testing.T, each func(text, asked string)) {
	dec := json.NewDecoder(open(t, "natcs_insurance_utterances.jsonl"))
	for {
		var line struct{ Utterance string }
		if err := dec.Decode(&line); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		each(line.Utterance, "")
	}
}

func consultations(t *testing.T, each func(text, asked string)) {
	var all []struct{ Turns []struct{ Text string } }
	decode(t, "primock57_dev.json", &all)
	for _, c := range all {
		before := ""
		for _, turn := range c.Turns {
			each(turn.Text, before)
			before = turn.Text
		}
	}
}

func bankCalls(t *testing.T, each func(text, asked string)) {
	var all []struct {
		Segments []struct {
			Human      string `json:"human_transcript"`
			Recognised string `json:"transcript"`
		}
	}
	decode(t, "harpervalley_sample.json", &all)
	for _, c := range all {
		human, recognised := "", ""
		for _, s := range c.Segments {
			each(s.Human, human)
			each(s.Recognised, recognised)
			human, recognised = s.Human, s.Recognised
		}
	}
}

// every is which part of the long conversations with an assistant is read: all take as long as all other tests
// together.
const every = 8

func assistants(t *testing.T, each func(text, asked string)) {
	var all []struct {
		Sessions [][]struct{ Content string } `json:"haystack_sessions"`
	}
	decode(t, "longmemeval_s_dev.json.gz", &all)
	seen := map[string]bool{}
	for i := 0; i < len(all); i += every {
		for _, session := range all[i].Sessions {
			before := ""
			for _, turn := range session {
				if !seen[turn.Content] {
					seen[turn.Content] = true
					each(turn.Content, before)
				}
				before = turn.Content
			}
		}
	}
}

func decode(t *testing.T, name string, v any) {
	t.Helper()
	if err := json.NewDecoder(open(t, name)).Decode(v); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, name string) io.Reader {
	t.Helper()
	f, err := os.Open(devdata.Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if !strings.HasSuffix(name, ".gz") {
		return f
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return z
}
