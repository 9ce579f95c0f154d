// Package label gives a conversation its labels, from closed sets (spec 2.5, P4). Intents and topics go by tables of
// whole words and phrases that come in packs: "service" and "golf" are built in, for a general service desk and for
// golf courses, and a tenant may bring a pack of his own as JSON. Sentiment and outcome are read from what happens in
// the dialogue, in any trade: who offers a time, who takes it, who promises to call, who is sorry. Its words, in
// English, German, Spanish and a little Portuguese, are in dialogue.json and mood.json; a pack says which outcomes
// there are, and may add words. A phrase is matched word by word, by stem: "book" finds booked and booking, "weather"
// never "eat". It does no I/O and is not for understanding what was said: that is the work of summaries and memories.
package label

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/recallerhq/recaller"
)

// Pack is one set of tables, ready for use. It is never changed after it was made, so it may be shared.
type Pack struct {
	name     string
	fallback string
	intents  []rule
	topics   []rule
	outcomes []rule
	positive []pattern
	negative []pattern
}

// Name returns the pack's name, as tenants name it.
func (p Pack) Name() string { return p.name }

func labels(rules []rule) []string {
	out := make([]string, len(rules))
	for i, r := range rules {
		out[i] = r.label
	}
	return out
}

type rule struct {
	label    string
	by       recaller.Speaker // whose words count; empty: both
	patterns []pattern
}

//go:embed packs/*.json
var packFiles embed.FS

// builtin are the packs that come with Recaller, read once.
var builtin = sync.OnceValues(func() (map[string]Pack, error) {
	out := map[string]Pack{}
	for _, name := range Builtin() {
		raw, _ := Source(name)
		p, err := ParsePack(raw)
		if err != nil {
			return nil, fmt.Errorf("pack %s: %w", name, err)
		}
		out[name] = p
	}
	return out, nil
})

// Builtin returns the names of the packs that come with Recaller.
func Builtin() []string { return []string{"service", "golf"} }

// Source returns a built-in pack as ParsePack reads it; false if there is none of the name.
func Source(name string) ([]byte, bool) {
	if !slices.Contains(Builtin(), name) {
		return nil, false
	}
	raw, err := packFiles.ReadFile("packs/" + name + ".json")
	return raw, err == nil
}

// Packs returns the built-in packs of these names, in this order. An unknown name is Invalid.
func Packs(names []string) ([]Pack, error) {
	known, err := builtin()
	if err != nil {
		return nil, recaller.Wrap(recaller.Internal, err, "the built-in keyword packs cannot be read")
	}
	out := make([]Pack, 0, len(names))
	for i, name := range names {
		p, ok := known[name]
		if !ok {
			return nil, recaller.InvalidField(fmt.Sprintf("packs[%d]", i), "is not a keyword pack; the packs are service and golf")
		}
		out = append(out, p)
	}
	return out, nil
}

// Bounds of a tenant's own pack.
const (
	MaxPackBytes   = 256 << 10 // of the JSON
	maxRules       = 200       // in one table
	maxPhrases     = 300       // of one rule or word list
	maxPhraseWords = 8
	maxWays        = 40 // of one place in a phrase
)

type packJSON struct {
	Name          string     `json:"name"`
	DefaultIntent string     `json:"default_intent"`
	Intents       []ruleJSON `json:"intents"`
	Topics        []ruleJSON `json:"topics"`
	Outcomes      []ruleJSON `json:"outcomes"`
	Positive      []string   `json:"positive"`
	Negative      []string   `json:"negative"`
}

type ruleJSON struct {
	Label   string   `json:"label"`
	By      string   `json:"by"`
	Phrases []string `json:"phrases"`
}

var kebab = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

const maxLabelBytes = 60

// ParsePack reads a pack from JSON. Outcomes that the dialogue shows may stand without phrases; the order of intents
// and outcomes is their priority. "a|b" means one word or the other, "*" up to three of any kind. Errors are Invalid,
// by field.
func ParsePack(data []byte) (Pack, error) {
	if len(data) > MaxPackBytes {
		return Pack{}, recaller.InvalidField("pack", "is larger than %d bytes", MaxPackBytes)
	}
	var in packJSON
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		return Pack{}, decodeError(err)
	}
	if dec.More() {
		return Pack{}, recaller.InvalidField("pack", "has something after the JSON object")
	}
	return in.pack()
}

func decodeError(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return recaller.InvalidField(wrong.Field, "is a JSON %s where %s is expected", wrong.Value, wrong.Type)
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return recaller.InvalidField(strings.Trim(name, `"`), "is not a field of a pack")
	}
	return recaller.InvalidField("pack", "is not a JSON object of a pack")
}

func (in packJSON) pack() (Pack, error) {
	p := Pack{name: in.Name, fallback: in.DefaultIntent}
	if p.fallback == "" {
		p.fallback = GeneralInfo
	}
	if err := checkLabel("name", p.name); err != nil {
		return Pack{}, err
	}
	if err := checkLabel("default_intent", p.fallback); err != nil {
		return Pack{}, err
	}
	errs := make([]error, 5)
	p.intents, errs[0] = rules("intents", in.Intents)
	p.topics, errs[1] = rules("topics", in.Topics)
	p.outcomes, errs[2] = rules("outcomes", in.Outcomes)
	p.positive, errs[3] = patterns("positive", in.Positive)
	p.negative, errs[4] = patterns("negative", in.Negative)
	if err := cmp.Or(errs...); err != nil {
		return Pack{}, err
	}
	return p, nil
}

func checkLabel(field, label string) error {
	if !kebab.MatchString(label) || len(label) > maxLabelBytes {
		return recaller.InvalidField(field, "must be small letters, digits and single hyphens, at most %d of them", maxLabelBytes)
	}
	return nil
}

func rules(field string, in []ruleJSON) ([]rule, error) {
	if len(in) > maxRules {
		return nil, recaller.InvalidField(field, "has more than %d entries", maxRules)
	}
	var out []rule
	seen := map[string]bool{}
	for i, r := range in {
		at := fmt.Sprintf("%s[%d]", field, i)
		if err := checkLabel(at+".label", r.Label); err != nil {
			return nil, err
		}
		if seen[r.Label] {
			return nil, recaller.InvalidField(at+".label", "is there twice")
		}
		seen[r.Label] = true
		by := recaller.Speaker(r.By)
		if r.By != "" && !by.Valid() {
			return nil, recaller.InvalidField(at+".by", "must be user, assistant or absent")
		}
		if len(r.Phrases) == 0 && !(field == "outcomes" && instead[r.Label] != "") {
			return nil, recaller.InvalidField(at+".phrases", "must not be empty")
		}
		ps, err := patterns(at+".phrases", r.Phrases)
		if err != nil {
			return nil, err
		}
		out = append(out, rule{label: r.Label, by: by, patterns: ps})
	}
	return out, nil
}

func patterns(field string, in []string) ([]pattern, error) {
	if len(in) > maxPhrases {
		return nil, recaller.InvalidField(field, "has more than %d phrases", maxPhrases)
	}
	var out []pattern
	for i, s := range in {
		p, ok := newPattern(s)
		if !ok {
			return nil, recaller.InvalidField(fmt.Sprintf("%s[%d]", field, i), "must be one to %d words; * stands between words only", maxPhraseWords)
		}
		out = append(out, p)
	}
	return out, nil
}
