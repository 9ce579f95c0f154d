package answer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup/answer"
)

// whole is an answer as it was asked for.
const whole = `{"memories":[
 {"type":"fact","key":"daughter_name","value":"her daughter is called Sarah","confidence":0.95,"turns":[4,6],"due":""},
 {"type":"follow_up","key":"doctor","value":"sees the doctor about her knee","confidence":0.8,"turns":[9],"due":"next Tuesday at 3"}]}`

// entry writes one entry with a key and a value.
func entry(key, value string) string {
	return fmt.Sprintf(`{"type":"fact","key":%q,"value":%q,"confidence":0.9,"turns":[1],"due":""}`, key, value)
}

// card writes what was kept on one line: "fact dog=has a dog 0.9 [1] due".
func card(m answer.Memory) string {
	s := fmt.Sprintf("%s %s=%s %g", m.Type, m.Key, m.Value, m.Confidence)
	if m.Turns != nil {
		s += " " + fmt.Sprint(m.Turns)
	}
	if m.Due != "" {
		s += " due " + m.Due
	}
	return s
}

func cards(list []answer.Memory) []string {
	var out []string
	for _, m := range list {
		out = append(out, card(m))
	}
	return out
}

const (
	dog  = "fact dog=has a dog 0.9 [1]"
	home = "fact home=lives alone 0.9 [1]"
)

type damaged struct {
	name string
	text string
	cut  bool
	kept []string
	lost int
	err  bool
}

var damage = []damaged{
	// as asked, or nearly
	{name: "as it was asked for", text: whole, kept: []string{"fact daughter_name=her daughter is called Sarah 0.95 [4 6]", "follow_up doctor=sees the doctor about her knee 0.8 [9] due next Tuesday at 3"}},
	{name: "nothing worth remembering", text: `{"memories":[]}`},
	{name: "W's bare array", text: `[` + entry("dog", "has a dog") + `]`, kept: []string{dog}},
	{name: "an empty array", text: ` [ ] `},
	{name: "an empty object, which says nothing", text: `{}`, err: true},
	{name: "another wrapping", text: `{"result":[` + entry("dog", "has a dog") + `]}`, kept: []string{dog}},
	{name: "a wrapping in a wrapping", text: `{"status":"ok","data":{"items":[` + entry("dog", "has a dog") + `]}}`, kept: []string{dog}},
	{name: "one entry alone", text: entry("dog", "has a dog"), kept: []string{dog}},
	{name: "JSON lines", text: entry("dog", "has a dog") + "\n" + entry("home", "lives alone"), kept: []string{dog, home}},
	{name: "entries with commas and no brackets around", text: entry("dog", "has a dog") + ",\n" + entry("home", "lives alone"), kept: []string{dog, home}},
	{name: "grouped by type", text: `{"preference":[{"key":"music","value":"likes jazz","confidence":0.9}],"fact":[{"key":"dog","value":"has a dog","confidence":0.9,"turns":[1]}]}`, kept: []string{"preference music=likes jazz 0.9", dog}},
	{name: "a map of keys to values", text: `{"memories":{"dog":"has a dog","home":"lives alone"}}`, kept: []string{"fact dog=has a dog 0.7", "fact home=lives alone 0.7"}},
	{name: "a function call with its arguments as a text", text: `{"type":"function","name":"store","arguments":"{\"memories\":[{\"type\":\"fact\",\"key\":\"dog\",\"value\":\"has a dog\",\"confidence\":0.9,\"turns\":[1]}]}"}`, kept: []string{dog}},
	{name: "made a text once more", text: `"{\"memories\":[{\"type\":\"fact\",\"key\":\"dog\",\"value\":\"has a \\\"dog\\\"\",\"confidence\":0.9,\"turns\":[1]}]}"`, kept: []string{`fact dog=has a "dog" 0.9 [1]`}},

	// around the JSON
	{name: "a code fence", text: "```json\n" + whole + "\n```", kept: []string{"fact daughter_name=her daughter is called Sarah 0.95 [4 6]", "follow_up doctor=sees the doctor about her knee 0.8 [9] due next Tuesday at 3"}},
	{name: "a fence that was not closed", text: "```\n[" + entry("dog", "has a dog") + "]", kept: []string{dog}},
	{name: "prose before and after", text: "Here are the memories [from turn 1]:\n{\"memories\":[" + entry("dog", "has a dog") + "]}\nLet me know if you {need} more!", kept: []string{dog}},
	{name: "thoughts first", text: "<think>The caller has {\"type\":\"fact\",\"key\":\"cat\",\"value\":\"a cat?\"} no, a dog.</think>\n{\"memories\":[" + entry("dog", "has a dog") + "]}", kept: []string{dog}},
	{name: "thoughts whose beginning the server took off", text: "He has a dog.\n</think>\n{\"memories\":[" + entry("dog", "has a dog") + "]}", kept: []string{dog}},
	{name: "thoughts that never end", text: "<think>So the caller says [\"dog\"] and I wonder", err: true},
	{name: "a draft and then the answer", text: "Draft: [" + entry("dog", "has a dog") + "]\nFinal: [" + entry("dog", "has two dogs") + "," + entry("home", "lives alone") + "]", kept: []string{"fact dog=has two dogs 0.9 [1]", home}},
	{name: "a draft that had more", text: "[" + entry("dog", "has a dog") + "," + entry("home", "lives alone") + "]\n[" + entry("cat", "has a cat") + "]", kept: []string{dog, home}, lost: 1},
	{name: "a byte order mark and broken UTF-8", text: "\ufeff[" + entry("dog", "has a dog") + "\xff]", kept: []string{dog}},

	// broken off
	{name: "broken off between entries", text: `{"memories":[` + entry("dog", "has a dog") + `,`, cut: true, kept: []string{dog}},
	{name: "broken off in a value", text: `{"memories":[` + entry("dog", "has a dog") + `,{"type":"fact","key":"home","value":"lives al`, cut: true, kept: []string{dog}, lost: 1},
	{name: "broken off in a key", text: `[` + entry("dog", "has a dog") + `,{"type":"fact","ke`, cut: true, kept: []string{dog}, lost: 1},
	{name: "broken off in the first entry", text: `{"memories":[{"type":"fact","key":"home","val`, cut: true, err: true},
	{name: "broken off before the first entry", text: `{"memories":[`, cut: true, err: true},
	{name: "brackets forgotten, though it was not cut", text: `{"memories":[{"type":"fact","key":"dog","value":"has a dog","confidence":0.9,"turns":[1]`, kept: []string{dog}},
	{name: "the same, where it was cut", text: `{"memories":[{"type":"fact","key":"dog","value":"has a dog","confidence":0.9,"turns":[1]`, cut: true, err: true, lost: 1},
	{name: "the wrong brackets", text: `{"memories":[{"type":"fact","key":"dog","value":"has a dog","confidence":0.9,"turns":[1}]]`, kept: []string{dog}},

	// marks
	{name: "trailing commas", text: `{"memories":[{"type":"fact","key":"dog","value":"has a dog","confidence":0.9,"turns":[1,],},],}`, kept: []string{dog}},
	{name: "forgotten commas", text: "[{\"type\":\"fact\" \"key\":\"dog\"\n\"value\":\"has a dog\" \"confidence\":0.9 \"turns\":[1]} " + entry("home", "lives alone") + "]", kept: []string{dog, home}},
	{name: "single quotes, as Python prints them", text: `{'memories': [{'type': 'fact', 'key': 'dog', 'value': 'it\'s Tom\'s dog, isn't it', 'confidence': 0.9, 'turns': [1], 'due': None}]}`, kept: []string{"fact dog=it's Tom's dog, isn't it 0.9 [1]"}},
	{name: "German quotes", text: `{„memories“: [{„type“: „fact“, „key“: „dog“, „value“: „hat einen Hund namens “Max“, sagt er“, „confidence“: 0,9, „turns“: [1]}]}`, kept: []string{"fact dog=hat einen Hund namens “Max“, sagt er 0.9 [1]"}},
	{name: "French quotes", text: `[{«type»: «fact», «key»: «dog», «value»: «il a un chien», «confidence»: 0.9, «turns»: [1]}]`, kept: []string{"fact dog=il a un chien 0.9 [1]"}},
	{name: "Japanese quotes and marks", text: `｛「memories」：［｛「type」：「fact」，「key」：「dog」，「value」：「犬を飼っている」，「confidence」：0.9，「turns」：［1］｝］｝`, kept: []string{"fact dog=犬を飼っている 0.9 [1]"}},
	{name: "wide quotes", text: `[{＂type＂:＂fact＂,＂key＂:＂dog＂,＂value＂:＂has a dog＂,＂confidence＂:0.9,＂turns＂:[1]}]`, kept: []string{dog}},
	{name: "curly quotes", text: `[{“type”:“fact”,“key”:“dog”,“value”:“has a dog”,“confidence”:0.9,“turns”:[1]}]`, kept: []string{dog}},
	{name: "quotes that were not escaped", text: `{"memories":[{"type":"fact","key":"dog","value":"has a dog called "Max", he says "often"","confidence":0.9,"turns":[1]}]}`, kept: []string{`fact dog=has a dog called "Max", he says "often" 0.9 [1]`}},
	{name: "keys and values without quotes", text: "{memories: [{type: fact, key: dog, value: has a dog, confidence: 0.9, turns: [1]}]}", kept: []string{dog}},
	{name: "an equals sign", text: `[{"type"="fact","key"=>"dog","value"="has a dog","confidence"=0.9,"turns"=[1]}]`, kept: []string{dog}},
	{name: "comments and an ellipsis", text: "{\"memories\": [ // what I found\n" + entry("dog", "has a dog") + ", /* more */ ...\n# end\n]}", kept: []string{dog}},
	{name: "line breaks inside a value", text: "[{\"type\":\"fact\",\"key\":\"dog\",\"value\":\"has\n\ta dog\u0007\u200b\",\"confidence\":0.9,\"turns\":[1]}]", kept: []string{dog}},

	// fields
	{name: "W's other spellings of fields", text: `[{"memory_type":"fact","Key":"dog","content":"has a dog","confidenceScore":0.9,"turn":1}]`, kept: []string{dog}},
	{name: "other spellings of types", text: `[{"type":"Follow-up","key":"a","value":"x1","confidence":1},{"type":"followup","key":"b","value":"x2","confidence":1},{"type":"FACTS","key":"c","value":"x3","confidence":1},{"type":"Likes/Dislikes","key":"d","value":"x4","confidence":1},{"type":"living situation","key":"e","value":"x5","confidence":1},{"type":"health","key":"f","value":"x6","confidence":1},{"type":["history"],"key":"g","value":"x7","confidence":1}]`, kept: []string{"follow_up a=x1 1", "follow_up b=x2 1", "fact c=x3 1", "preference d=x4 1", "context e=x5 1", "wellbeing f=x6 1", "history g=x7 1"}},
	{name: "a type that means nothing", text: `[{"type":"banana","key":"a","value":"x"},` + entry("dog", "has a dog") + `]`, kept: []string{dog}, lost: 1},
	{name: "no type", text: `[{"key":"dog","value":"has a dog","confidence":0.9,"turns":[1]}]`, kept: []string{dog}},
	{name: "no key, no value", text: `[{"type":"fact","value":"has a dog"},{"type":"fact","key":"dog"},{"type":"fact","key":"dog","value":null},` + entry("home", "lives alone") + `]`, kept: []string{home}, lost: 3},
	{name: "a field twice", text: `[{"type":"fact","key":"cat","key":"dog","value":"has a cat","value":"has a dog","confidence":0.9,"turns":[1]}]`, kept: []string{dog}},
	{name: "an entry twice", text: `[` + entry("dog", "has a cat") + `,` + entry("home", "lives alone") + `,` + entry("Dog", "has a dog") + `]`, kept: []string{dog, home}},
	{name: "keys of every spelling", text: `[{"type":"fact","key":"favoriteColor","value":"red","confidence":1},{"type":"fact","key":"Home Town!","value":"Rome","confidence":1},{"type":"fact","key":"mother's-name","value":"Eva","confidence":1},{"type":"fact","key":"Größe","value":"1,80","confidence":1},{"type":"fact","key":"趣味","value":"碁","confidence":1},{"type":"fact","key":"--","value":"x","confidence":1}]`, kept: []string{"fact favorite_color=red 1", "fact home_town=Rome 1", "fact mothers_name=Eva 1", "fact größe=1,80 1", "fact 趣味=碁 1"}, lost: 1},
	{name: "confidences of every kind", text: `[{"type":"fact","key":"a","value":"x","confidence":NaN},{"type":"fact","key":"b","value":"x","confidence":-Infinity},{"type":"fact","key":"c","value":"x","confidence":"0.8"},{"type":"fact","key":"d","value":"x","confidence":"85%"},{"type":"fact","key":"e","value":"x","confidence":"High"},{"type":"fact","key":"f","value":"x","confidence":95},{"type":"fact","key":"g","value":"x","confidence":"8/10"},{"type":"fact","key":"h","value":"x","confidence":1.2},{"type":"fact","key":"i","value":"x","confidence":-1},{"type":"fact","key":"j","value":"x","confidence":null},{"type":"fact","key":"k","value":"x","confidence":1e300},{"type":"fact","key":"l","value":"x","confidence":{"a":1}}]`, kept: []string{"fact a=x 0.7", "fact b=x 0.7", "fact c=x 0.8", "fact d=x 0.85", "fact e=x 0.9", "fact f=x 0.95", "fact g=x 0.8", "fact h=x 1", "fact i=x 0.7", "fact j=x 0.7", "fact k=x 0.7", "fact l=x 0.7"}},
	{name: "turns of every kind", text: `[{"type":"fact","key":"a","value":"x","confidence":1,"turns":"turn 3"},{"type":"fact","key":"b","value":"x","confidence":1,"turns":"3-5, 9"},{"type":"fact","key":"c","value":"x","confidence":1,"turns":["[7]",7,2.0,-4,"x"]},{"type":"fact","key":"d","value":"x","confidence":1,"turns":8},{"type":"fact","key":"e","value":"x","confidence":1,"turns":[[1],{"turn":2}]},{"type":"fact","key":"f","value":"x","confidence":1,"turns":null},{"type":"fact","key":"g","value":"x","confidence":1,"turns":"99999999999999999999"}]`, kept: []string{"fact a=x 1 [3]", "fact b=x 1 [3 4 5 9]", "fact c=x 1 [2 7]", "fact d=x 1 [8]", "fact e=x 1 [1 2]", "fact f=x 1", "fact g=x 1"}},
	{name: "values that are no text", text: `[{"type":"fact","key":"a","value":3,"confidence":1},{"type":"fact","key":"b","value":true,"confidence":1},{"type":"fact","key":"c","value":["Ann","Bob",["deep"]],"confidence":1},{"type":"fact","key":"d","value":{"name":"Max","kind":"dog","more":{"deep":1}},"confidence":1},{"type":"fact","key":"e","value":{"deep":{"deeper":1}},"confidence":1}]`, kept: []string{"fact a=3 1", "fact b=yes 1", "fact c=Ann, Bob 1", "fact d=name: Max, kind: dog 1"}, lost: 1},
	{name: "due in other forms", text: `[{"type":"follow_up","key":"a","value":"x","confidence":1,"due":null},{"type":"follow_up","key":"b","value":"x","confidence":1,"due":"N/A"},{"type":"follow_up","key":"c","value":"x","confidence":1,"due_date":"2026-11-24"},{"type":"follow_up","key":"d","value":"x","confidence":1,"due":20261124}]`, kept: []string{"follow_up a=x 1", "follow_up b=x 1", "follow_up c=x 1 due 2026-11-24", "follow_up d=x 1 due 20261124"}},
	{name: "texts in place of entries", text: `{"memories":["has a dog",` + entry("home", "lives alone") + `,7,null]}`, kept: []string{home}, lost: 1},
	{name: "only texts", text: `["has a dog","lives alone"]`, err: true},
	{name: "Python's words", text: `{"memories": None}`},

	// too much
	{name: "a value too long", text: `[` + entry("dog", strings.Repeat("dog ", 300)) + `]`, kept: []string{"fact dog=" + strings.TrimSpace(strings.Repeat("dog ", 125)) + " 0.9 [1]"}},
	{name: "a key too long", text: `[` + entry(strings.Repeat("dog_", 50), "has a dog") + `]`, kept: []string{"fact " + strings.TrimSuffix(strings.Repeat("dog_", 16), "_") + "=has a dog 0.9 [1]"}},
	{name: "nested too deep", text: `{"memories":[` + strings.Repeat("[", 200) + `"]"` + strings.Repeat("]", 200) + `,` + entry("dog", "has a dog") + `]}`, kept: []string{dog}},

	// no answer
	{name: "empty", text: "", err: true},
	{name: "white space", text: " \n\t ", err: true},
	{name: "null, which says nothing", text: "null", err: true},
	{name: "None.", text: "None."},
	{name: "nothing found, in words", text: "I could not find any memories worth storing in this conversation."},
	{name: "a refusal", text: "I'm sorry, but I can't help with that.", err: true},
	{name: "a page of a proxy", text: "<!DOCTYPE html><html><head><style>a{b:1}</style><script>var a=[];</script></head><body>502 Bad Gateway</body></html>", err: true},
	{name: "an error of the provider", text: `{"error":{"message":"rate limited","type":"requests","code":429}}`, err: true},
	{name: "something else", text: `{"brief":"a call","topics":["dogs"]}`, err: true},
	{name: "only types that mean nothing", text: `[{"type":"banana","key":"a","value":"x"}]`, err: true, lost: 1},
}

func TestWhatCanBeReadOfADamagedAnswerIsKept(t *testing.T) {
	if len(damage) < 45 {
		t.Fatalf("got %d damaged answers, want at least 45", len(damage))
	}
	for _, test := range damage {
		t.Run(test.name, func(t *testing.T) {
			got, lost, err := answer.Memories(test.text, test.cut)
			if (err != nil) != test.err || err != nil && recaller.KindOf(err) != recaller.Invalid {
				t.Errorf("got error %v, want one: %v", err, test.err)
			}
			if diff := cmp.Diff(test.kept, cards(got)); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
			if lost != test.lost {
				t.Errorf("got %d lost, want %d", lost, test.lost)
			}
		})
	}
}

func TestAHugeAnswerIsBounded(t *testing.T) {
	var entries []string
	for i := range 50_000 {
		entries = append(entries, entry(fmt.Sprintf("key_%d", i), "a value"))
	}
	got, lost, err := answer.Memories(`{"memories":[`+strings.Join(entries, ",")+`]}`, false)
	if err != nil || len(got) != answer.MaxEntries || lost == 0 {
		t.Errorf("got %d entries, %d lost, %v; want %d", len(got), lost, err, answer.MaxEntries)
	}
}
