package exam

import (
	"regexp"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
)

// call is an invented call, with what is false of it.
type call struct {
	turns   []recaller.Turn
	about   string // a word that the brief must have
	lasting bool   // something in it is worth remembering
	traps   []trap
}

// trap is one way of saying something false: a line that matches says, and not what would make it true.
type trap struct {
	fault  string
	says   *regexp.Regexp
	unless *regexp.Regexp // nil: nothing makes it true
}

// judge returns what is wrong with the lines of an answer; "" if nothing is. It does not judge quotations.
func (c call) judge(lines []string, brief string) string {
	for _, line := range lines {
		low := plain(line)
		for _, t := range append(c.traps, general...) {
			if t.says.MatchString(low) && (t.unless == nil || !t.unless.MatchString(low)) {
				return t.fault
			}
		}
	}
	if brief != "" && !strings.Contains(plain(brief), c.about) {
		return "did not say what it was about"
	}
	if len(lines) == 0 && c.lasting {
		return "told nothing"
	}
	return ""
}

// says reports whether the caller says a text word for word.
func (c call) says(text string) bool {
	return slices.ContainsFunc(c.turns, func(t recaller.Turn) bool {
		return t.Speaker == recaller.User && strings.Contains(strings.ToLower(t.Text), strings.ToLower(text))
	})
}

var quoted = regexp.MustCompile(`[“"][^”"]*[”"]`)

// plain returns a line in small letters. Of its quotations only the words stay, because the model does not speak in
// them.
func plain(line string) string {
	line = quoted.ReplaceAllStringFunc(line, func(s string) string { return own.ReplaceAllString(s, " ") })
	return strings.ToLower(strings.NewReplacer("_", " ", "’", "'").Replace(line))
}

var own = regexp.MustCompile(`(?i)\b(I|I'm|I'll|me|my|we|our|you|your)\b|\?`)

// trapped makes a trap of expressions.
func trapped(fault, says, unless string) trap {
	t := trap{fault: fault, says: regexp.MustCompile(says)}
	if unless != "" {
		t.unless = regexp.MustCompile(unless)
	}
	return t
}

// denied matches how a line says that something is not so.
const denied = `\b(no|not|cannot|none|never|without|nor|declin\w*|refus\w*|deni\w*|denies|skip\w*|reject\w*|` +
	`rather than|instead|against|opt\w* out|turn\w* down|pass\w* on|forgo\w*)\b|n't\b`

// offered matches how a line says that something was only available; staff matches who takes calls.
const (
	offered = `offer|suggest|propos|\bask|option|quot|cost|pric|available|expensive|` + denied
	staff   = `agent|assistant|staff|recept|practice|works\b|workshop|mechanic|spoke (to|with)|answered`
)

// general are the traps of any call.
var general = []trap{
	trapped("spoke as one of the two", `\b(i|i'm|i'll|i've|me|my|we|our|you|your)\b`, ""),
	trapped("asked in place of telling", `\?`, ""),
}

func calls() []call { return []call{dentist(), workshop()} }

func dentist() call {
	return call{
		about: "tooth", lasting: true,
		turns: turns(
			"Doctor Amsel's practice, this is Noemi. How can I help you?",
			"Good morning, this is Tomas Reuter. I have a toothache and need an appointment.",
			"I am sorry to hear that. Are you allergic to anything?",
			"Me, no. But my daughter Lena is allergic to penicillin, and she comes in next month.",
			"I will note it for her. Do you take any medicine?",
			"No, none. My wife takes blood thinners, but I don't.",
			"I have Monday at ten, or Friday at two.",
			"Monday. No, wait, I work on Monday. Friday, please.",
			"Then Friday at two. Would you like to have an x-ray as well, for sixty dollars?",
			"No, not this time.",
			"Fine. And do you smoke?",
			"I stopped three years ago.",
			"Very good. See you on Friday.",
		),
		traps: []trap{
			trapped("told somebody else's allergy as the caller's", `allerg`, `lena|daughter|`+denied),
			trapped("told somebody else's allergy as the caller's", `penicillin`, `lena|daughter`),
			trapped("told somebody else's allergy as the caller's",
				`\b(tomas|reuter|caller|patient|he|himself)( \w+)? (is|are|has|have)( \w+)? allerg`, denied),
			trapped("told somebody else's allergy as the caller's", `\b(wife)( \w+){0,3} allerg`, ""),
			trapped("told somebody else's medicine as the caller's", `thinner|\bblood\b`, `wife|spouse|`+denied),
			trapped("told a day that was taken back", `\bmonday\b`, `friday|work|unavailable|`+denied),
			trapped("told a day that nobody named", `\b(tuesday|wednesday|thursday|saturday|sunday)\b`, ""),
			trapped("told as taken what was only offered", `x-?ray|radiograph`, offered),
			trapped("told as taken what was only offered", `sixty|\b60\b`, offered),
			trapped("told what was denied",
				`\b(smokes|smoker|smoking)\b`, `stop|quit|former|ex-|used to|ago|past|history|ceas|gave up|`+denied),
			trapped("took one of the two for the other",
				`\b(caller|patient|name|client|customer)\W+(is |was |called |named |name |caller )*noemi`, staff),
			trapped("took one of the two for the other",
				`noemi( \w+)? (has|had|needs|wants|called to|requested|is allergic|stopped|quit|takes)\b`, ""),
			trapped("took one of the two for the other",
				`\b(agent|assistant|receptionist)\W+(is |was |called |named )*(tomas|reuter)|`+
					`amsel (has|had|needs|wants|called)\b`,
				""),
			trapped("joined what does not belong together",
				`\b(lena|daughter)\b(('s)? \w+){0,2} (toothache|appointment|friday)|`+
					`appointment for (his )?(daughter|lena)`,
				`next month`),
			trapped("joined what does not belong together",
				`\b(lena|daughter|wife) ((has|had|stopped|quit) )(\w+ ){0,2}(toothache|smok)|`+
					`\b(lena|daughter|wife)( is| who)? work(s|ing)`,
				""),
			trapped("joined what does not belong together", `allerg\w* to (a )?(blood|thinner)`, ""),
			trapped("told as done what was not",
				`\bwas (treated|examined|seen)\b|appointment was (moved|cancel\w+|changed)`, denied),
		},
	}
}

func workshop() call {
	return call{
		about: "brake",
		turns: turns(
			"Pedal Works, Gideon speaking. What can I do for you?",
			"Hi, my name is Petra Lindqvist. My bicycle needs new brakes.",
			"Sure. Disc brakes are ninety dollars, rim brakes are forty.",
			"The rim brakes, please. Disc brakes cost too much.",
			"All right. Could you bring the bicycle on Tuesday?",
			"Tuesday, yes. Sorry, no, on Thursday, at nine.",
			"Thursday at nine. Would you like to rent a bicycle for the time?",
			"No, thank you. My neighbour Oskar lends me his.",
			"And shall we fit a new lamp as well?",
			"I'll think about it. Please send a text when it is ready, my husband doesn't like to be called.",
			"We'll do that. See you on Thursday.",
		),
		traps: []trap{
			trapped("told as taken what was only offered", `\bdisc\b`, `\brim\b|`+offered),
			trapped("told as taken what was only offered", `\bninety\b|\b90\b`, `\bforty\b|\b40\b|`+offered),
			trapped("joined what does not belong together",
				`\brim( brakes?)?:?( (at|for|are|is|costs?|of|will|be)){0,2} \(?\$?(ninety|90)|`+
					`\bdisc( brakes?)?:?( (at|for|are|is|costs?|of|will|be)){0,2} \(?\$?(forty|40)`,
				""),
			trapped("told as taken what was only offered", `\brent|\brental`, `oskar|neighbou?r|`+offered),
			trapped("told as taken what was only offered",
				`\blamp|\blight`,
				`think|consider|decid|undecided|maybe|possib|open|unsure|pending|may\b|might|whether|later|`+offered),
			trapped("told a day that was taken back", `\btuesday\b`, `thursday|`+denied),
			trapped("told a day that nobody named", `\b(monday|wednesday|friday|saturday|sunday)\b`, ""),
			trapped("took one of the two for the other",
				`\b(caller|name|client|customer)\W+(is |was |called |named |name |caller )*(gideon|oskar)`, staff),
			trapped("took one of the two for the other",
				`gideon( \w+)? (needs|wants|has a|requested|called to)\b|gideon's (bicycle|bike|brakes|neighbou?r|husband)`,
				""),
			trapped("took one of the two for the other",
				`\b(agent|assistant|mechanic)\W+(is |was |called |named )*(petra|lindqvist)`, ""),
			trapped("joined what does not belong together",
				`oskar'?s? (needs|wants|brakes|is (her|the caller's|petra's) husband)|`+
					`husband,? oskar|oskar,? (her|the) husband`,
				""),
			trapped("joined what does not belong together",
				`\b(petra|caller|she)\b[^.;]{0,12}(doesn't|does not|dislikes|not like)[^.;]{0,16}call`, `husband`),
			trapped("told as done what was not",
				`\b(text|message|sms)( \w+)? (was|has been) sent\b|`+
					`\b(brakes|bicycle|bike)( \w+)? (were|was|have been|has been) `+
					`(replaced|installed|fitted|fixed|repaired|ordered|paid|brought)`,
				denied),
		},
	}
}

// turns returns what was said, by agent and caller in turn.
func turns(said ...string) []recaller.Turn {
	out := make([]recaller.Turn, len(said))
	for i, text := range said {
		out[i] = recaller.Turn{Number: i, Speaker: recaller.Assistant, Text: text, Confidence: 1}
		if i%2 == 1 {
			out[i].Speaker = recaller.User
		}
	}
	return out
}
