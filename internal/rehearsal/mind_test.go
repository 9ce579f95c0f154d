package rehearsal

import (
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// hears has a mind hear something.
func (m *Mind) hears(t *testing.T, h *Hearsay, text, instructions string) Reply {
	t.Helper()
	audio, err := Hum{Hz: 140}.Speak(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	h.Said(text, audio)
	return m.Think(Heard{N: 2, Audio: audio, Instructions: instructions})
}

func newMind() (*Mind, *Hearsay, *[]Did) {
	h, did := &Hearsay{}, &[]Did{}
	return NewMind(h, Hum{Hz: 260}, func() time.Time { return time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC) }, func(d Did) { *did = append(*did, d) }), h, did
}

const knownCaller = `## Caller
A returning caller, known since November 28, 2026. Welcome them back by name.
<notes>
- Name: Ana Keller
- Phone Number: +15550100142
</notes>
`

// It opens a call with what it was told of the caller, and with nothing else.
func TestTheGreetingIsMadeOfTheBriefing(t *testing.T) {
	t.Parallel()
	const unknown = "- Name: Unknown (ask politely if needed)\n"
	for what, c := range map[string]struct{ asked, instructions, want string }{
		"nobody":              {"", unknown, "Hello, this is the rehearsal line. Who is calling, please?"},
		"a name":              {"", knownCaller, "Hello Ana Keller, good to hear you again. What can I do for you?"},
		"a memory of any day": {"", knownCaller + "## What you remember\n<notes>\nFacts:\n- name: Ana Keller\n- dog: A greyhound called Bruno\n", "Hello Ana Keller, good to hear you again. What can I do for you?"},
		"a question":          {"", knownCaller + "1. November 28, 2026 - Repair (voice, today)\n   Summary: Caller: 'Can you come [Friday 4 December 2026]?' Agent: 'I see.'\n", "Hello Ana Keller, welcome back. Last time you asked: Can you come? What can I do for you?"},
		"a summary":           {"", knownCaller + "1. November 28, 2026 - Repair (voice, today)\n   Summary: Caller: 'My boiler is broken.' Agent: 'I see.'\n", "Hello Ana Keller, welcome back. Last time you told me: My boiler is broken. What can I do for you?"},
		"an apostrophe":       {"", knownCaller + "1. November 28, 2026 - Repair (voice, today)\n   Summary: Caller: 'The shed, it's leaking.' Caller: 'Since Monday.'\n", "Hello Ana Keller, welcome back. Last time you told me: The shed, it's leaking. What can I do for you?"},
		"one who rambles":     {"", knownCaller + "1. November 28, 2026 - Repair (voice, today)\n   Summary: Caller: '" + strings.Repeat("and the shed ", 20) + "'\n", "Hello Ana Keller, good to hear you again. What can I do for you?"},
		"a summary, alone":    {"", unknown + "1. November 28, 2026 - Repair (voice, today)\n   Summary: Caller: 'My boiler is broken.'\n", "Hello, welcome back. Last time you told me: My boiler is broken. What can I do for you?"},
		"its own words":       {"…\n\nBegin the call now with this greeting, in these words, and say nothing else: Lakeside, good morning!", knownCaller, "Lakeside, good morning!"},
	} {
		m, _, _ := newMind()
		if got := m.Think(Heard{N: 1, Asked: c.asked, Instructions: c.instructions}); got.Say != c.want {
			t.Errorf("%s: got %q, want %q", what, got.Say, c.want)
		}
	}
}

// What it is told it has kept, what it is asked it looks up, and a goodbye ends the call.
func TestWhatIsSaidBecomesCalls(t *testing.T) {
	t.Parallel()
	store := func(kind, key, value string) string {
		return `store_memory {"key":"` + key + `","memory_type":"` + kind + `","value":"` + value + `"}`
	}
	for said, want := range map[string]string{
		"Hi, this is Ana Keller.":                                   store("fact", "name", "Ana Keller"),
		"My greyhound is called Bruno, and he limps.":               store("fact", "greyhound", "My greyhound is called Bruno, and he limps."),
		"Wait, stop, I prefer mornings.":                            store("preference", "availability", "“Wait, stop, I prefer mornings.”"),
		"Could you send somebody on Thursday?":                      "",
		"Können Sie morgen jemanden schicken?":                      "",
		"Wait, make it half past four.":                             "",
		"No, I said half past four.":                                "",
		"Nein, warten Sie, seit Montag.":                            "",
		"Perdón, quería decir para seis.":                           "",
		"Hang on, seven is better.":                                 "",
		"My name is Bob by the way.":                                store("fact", "name", "Bob"),
		"Well, so, my sister called me, and she said it leaks.":     store("fact", "sister", "my sister called me, and she said it leaks."),
		"What is my dog called?":                                    `recall {"query":"What is my dog called?"}`,
		"do you know when my appointment is":                        `recall {"query":"do you know when my appointment is"}`,
		"My boiler leaks. When was it serviced?":                    store("context", "boiler_leaks", "“My boiler leaks.”") + ` recall {"query":"When was it serviced?"}`,
		"Thanks, that is all. Goodbye!":                             `end_call {}`,
		"Vielen Dank, auf Wiederhören.":                             `end_call {}`,
		"Au revoir, madame.":                                        `end_call {}`,
		"Yes.":                                                      "",
		"Okay, thank you.":                                          "",
		"Wait, one more thing.":                                     "",
		"Hello?":                                                    `recall {"query":"Hello?"}`,
		"Mi perro se llama Bruno y vive en Sevilla.":                store("fact", "perro", "Mi perro se llama Bruno y vive en Sevilla."),
		"Meine Heizung ist kaputt, wann kommt jemand?":              `recall {"query":"Meine Heizung ist kaputt, wann kommt jemand?"}`,
		`He said "use the side gate", so please use the side gate.`: "",
		`My sister said "use the side gate".`:                       store("fact", "sister", `My sister said \"use the side gate\".`),
	} {
		m, h, _ := newMind()
		var got []string
		for _, c := range m.hears(t, h, said, "").Calls {
			got = append(got, c.Name+" "+string(c.Arguments))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %s, want %s", said, strings.Join(got, " "), want)
		}
	}
}

// What is taken back is kept beside what takes its place, under the same key, where both tell a number or both a day. Else
// the words of the call are all that there is of it.
func TestACorrectionIsKeptWithWhatItCorrects(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ told, corrected, want string }{
		{"My gate code is 4711.", "Not 4711, 4712.", `“My gate code is 4711.” Not 4711, 4712.`},
		{"The door code is 4711.", "No, sorry, 4712.", "The door code is 4711. No, sorry, 4712."},
		{"Meine Heizung tropft seit gestern.", "Nein, warten Sie, seit Montag.", "Meine Heizung tropft seit gestern. Nein, warten Sie, seit Montag."},
		{"My boiler is a Vaillant.", "No, wait, Thursday.", ""},
		{"I am allergic to bleach.", "No, that is all, thank you.", ""},
		{"My gate code is 4711.", "No.", ""},
	} {
		m, h, _ := newMind()
		first := m.hears(t, h, c.told, "").Calls
		m.Think(Heard{N: 3, Results: []string{`{"success":true,"action":"created"}`}})
		again := m.hears(t, h, c.corrected, "").Calls
		switch {
		case len(first) != 1:
			t.Errorf("%s: got %d calls", c.told, len(first))
		case c.want == "" && len(again) > 0:
			t.Errorf("%s: got %s", c.corrected, again[0].Arguments)
		case c.want == "":
		case len(again) != 1 || gjson.GetBytes(again[0].Arguments, "value").String() != c.want ||
			gjson.GetBytes(again[0].Arguments, "key").String() != gjson.GetBytes(first[0].Arguments, "key").String():
			t.Errorf("%s: got %+v, want %q", c.corrected, again, c.want)
		}
	}
}

// What it says after its tools is what they answered: nothing found is nothing known, and a failure is told.
func TestAnswersAreThoseOfTheTools(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ said, result, want string }{
		{"What is my dog called?", `{"success":true,"recalled":[{"text":"dog_name: A greyhound called Bruno","when":"today"}]}`, "You told me: A greyhound called Bruno."},
		{"What is my dog called?", `{"success":true,"recalled":[{"text":"My greyhound is called Bruno!","speaker":"user","when":"last Tuesday"}]}`, "You told me last Tuesday: My greyhound is called Bruno!"},
		{"What is my dog called?", `{"success":true,"recalled":[{"text":"Hello, then.","speaker":"user","when":"today","unsure":true}]}`, "I am sorry, I do not know that."},
		{"What is my dog called?", `{"success":true,"recalled":[{"text":"Hm.","unsure":true},{"text":"Bruno, then.","speaker":"assistant","when":"last Tuesday"}]}`, "I told you last Tuesday: Bruno, then."},
		{"What is my dog called?", `{"success":true}`, "I am sorry, I do not know that."},
		{"What is my dog called?", `{"success":false,"error":"it did not work just now"}`, "I am sorry, I do not know that."},
		{"I prefer mornings.", `{"success":true,"action":"created"}`, "Thank you for telling me."},
		{"I prefer mornings.", `{"success":true,"action":"confirmed"}`, "Yes, so you told me before."},
		{"I prefer mornings.", `{"success":true,"action":"updated"}`, "All right, I have changed that."},
		{"I prefer mornings.", `{"success":false,"error":"it did not work just now"}`, "I am sorry, that did not work just now."},
		{"I am Ana Keller.", `{"success":true,"action":"created"}`, "Nice to meet you, Ana Keller. What can I do for you?"},
		{"I prefer mornings. Goodbye.", `{"success":true,"action":"created"}`, "Thank you for telling me. Goodbye Ana Keller. Take care."},
	} {
		m, h, did := newMind()
		instructions := knownCaller
		if strings.HasPrefix(c.said, "I am") {
			instructions = ""
		}
		if first := m.hears(t, h, c.said, instructions); len(first.Calls) != 1 || first.Say != "" {
			t.Errorf("%q: got %+v, want one call and no word", c.said, first.Calls)
			continue
		}
		got := m.Think(Heard{N: 3, Results: []string{c.result}, Instructions: instructions})
		if got.Say != c.want {
			t.Errorf("%q, %s: got %q, want %q", c.said, c.result, got.Say, c.want)
		}
		if len(*did) != 1 || (*did)[0].Answer != c.result {
			t.Errorf("%q: told of %+v", c.said, *did)
		}
		if strings.HasSuffix(c.said, "Goodbye.") != (len(got.Calls) == 1) {
			t.Errorf("%q: then it calls %+v", c.said, got.Calls)
		}
	}
}

func FuzzTwiML(f *testing.F) {
	f.Add([]byte(`<?xml version="1.0"?><Response><Connect action="https://a.test/x"><Stream url="wss://a.test/media"><Parameter name="token" value="T"/></Stream></Connect></Response>`))
	f.Add([]byte(`<Response><Say>Sorry.</Say><Hangup/></Response>`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if a, err := read(200, raw); err == nil && a.Stream != "" && len(a.Verbs) == 0 {
			t.Error("a stream without a verb")
		}
	})
}

func TestAnAnswerIsReadAsThePlatformDoes(t *testing.T) {
	t.Parallel()
	a, err := read(200, []byte(`<?xml version="1.0" encoding="UTF-8"?><Response><Connect action="http://a.test/end?after=stream" method="POST"><Stream url="ws://a.test/media"><Parameter name="token" value="T&amp;1"></Parameter></Stream></Connect></Response>`))
	if err != nil || a.Stream != "ws://a.test/media" || a.Next != "http://a.test/end?after=stream" || a.Params["token"] != "T&1" || strings.Join(a.Verbs, " ") != "Connect" {
		t.Errorf("got %+v, %v", a, err)
	}
	a, err = read(200, []byte(`<Response><Say language="en-GB">Sorry.</Say><Hangup></Hangup></Response>`))
	if err != nil || a.Stream != "" || a.Spoken != "Sorry." || strings.Join(a.Verbs, " ") != "Say Hangup" {
		t.Errorf("got %+v, %v", a, err)
	}
	if _, err := read(200, []byte(`{"no":"TwiML"}`)); err == nil {
		t.Error("what is no TwiML is taken")
	}
}
