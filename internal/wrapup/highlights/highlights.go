// Package highlights measures whether a text carries what a professional marked as the highlights of a conversation. It
// is a yardstick for the rules of the wrap-up, used by their tests and by evaluations; nothing in the product depends
// on it.
//
// A highlight is carried if at least 60 % of its content stems are found in the text. Abbreviations and terms of the
// trade count as found where the text says the same in plain words; the table below is all that is allowed. A highlight
// that denies ("No fever") needs a denial beside the match, and one that affirms needs a match that is not denied ("No
// asthma" does not carry "Asthma").
package highlights

import (
	"strconv"
	"strings"
	"unicode"

	recall "github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/speech"
)

// Threshold is the share of a highlight's content stems that a text must hold to carry it.
const Threshold = 0.6

// plain gives the ways to say a term of the trade in plain words. Ways are separated by bars; all words of a way must
// stand within a window of eight words of one another, in any order.
var plain = map[string]string{
	"hx": "history", "otc": "over counter", "sob": "short breath|breathless|difficulty breathing", "hrt": "hormone replacement",
	"htn": "hypertension|high blood pressure", "ibs": "irritable bowel", "uti": "urine infection|urinary infection|urinary tract|bladder infection|water infection",
	"urti":     "upper respiratory|viral infection|throat infection|respiratory infection|cold virus|common cold",
	"cystitis": "bladder infection", "influenza": "flu",
	"dysuria":    "pain pee|hurt pee|burn pee|sting pee|pain urine|burn urine|hurt urine|sting urine|pain urinate|hurt urinate|burn urinate|pain wee|hurt wee|burn wee|sting wee|pain bathroom|hurt bathroom|pain toilet|hurt toilet|burn toilet",
	"haematuria": "blood urine|blood pee|blood wee|blood toilet|blood water",
	"suprapubic": "lower tummy|low tummy|lower abdomen|lower abdominal|lower belly|lower stomach|down tummy|bottom tummy|below belly",
	"frequency":  "frequent|often toilet|more often|going more|often bathroom|often pee|often urine|frequently",
	"myalgia":    "muscle ache|body ache|muscle pain|aching|achy|muscle sore|body pain|muscle",
	"fatigue":    "tired|exhausted|tiredness|no energy|weak|fatigued", "photophobia": "light hurt|bright light|sensitive light|light bother|light worse|light painful|light eye|light pain",
	"nauseous": "nausea|sick", "aura": "light eye|flash|zigzag|spot eye|visual|lights vision", "visual": "vision|see light|flash light",
	"breathlessness": "breathless|short breath|difficulty breathing|breath hard|shortness breath|breath",
	"diarrhoea":      "diarrhea|loose stool|diarrhoea", "labrynthitis": "labyrinthitis", "emmolients": "emollient",
	"anaphylaxis": "anaphylactic", "wheeze": "wheezy|wheezing", "sputum": "phlegm|mucus", "anxiety": "anxious",
	"dad": "father", "mother": "mum|mom", "localized": "localised|local|area", "inflammatory": "inflammation|inflamed|swelling", "antihistamines": "antihistamine",
	"dizziness": "dizzy", "appetite": "eat", "itchy": "itch|itching|itchiness", "sore": "painful|pain", "cracked": "cracking|crack",
	"underactive": "hypothyroid|hypothyroidism", "airways": "airway|breathing", "compromise": "difficulty|problem|trouble", "cleaner": "cleaning|clean",
	"waking": "wake|woke", "bright": "light", "woken": "wake|waking|woke", "bee": "wasp", "salbutamol": "inhaler|ventolin",
	"reaction": "react", "stopped": "stop", "sentences": "sentence", "tension": "stress", "gastroenteritis": "stomach bug|tummy bug|gastroenteritis|gastro",
	"loss": "lose|lost|reduced|poor", "seeing": "see|vision", "died": "passed|die|death", "left": "left-hand", "diabetes": "diabetic",
}

var framing = speech.Set(`pmhx pmh hx for of in to and or the a an is was on at up with by at about past some sometimes but still every few has had as can't cannot very him her over not no at all`)

var numbers = map[string]string{
	"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10",
	"eleven": "11", "twelve": "12", "fifteen": "15", "twenty": "20", "thirty": "30",
}

var deny = speech.Set(`no not never none without nor nil denies denied nothing don't doesn't didn't haven't hasn't isn't wasn't can't cannot`)

// Share is how many highlights a text carries, of how many.
type Share struct{ Carried, Of int }

// Add adds the highlights of another text.
func (s Share) Add(o Share) Share { return Share{s.Carried + o.Carried, s.Of + o.Of} }

// Percent is the share in percent, 0 of none.
func (s Share) Percent() float64 {
	if s.Of == 0 {
		return 0
	}
	return 100 * float64(s.Carried) / float64(s.Of)
}

// Measure counts the highlights that a text carries. Empty highlights count for nothing.
func Measure(highlights []string, text string) Share {
	var s Share
	in := read(text)
	for _, h := range highlights {
		if strings.TrimSpace(h) == "" {
			continue
		}
		s.Of++
		if in.carries(h) {
			s.Carried++
		}
	}
	return s
}

// Carried reports whether a text carries one highlight.
func Carried(highlight, text string) bool { return read(text).carries(highlight) }

type token struct {
	stem, low string
	item      int // the sentence or list item it stands in
}

type reading []token

func read(text string) reading {
	var out reading
	item := 0
	for line := range strings.Lines(text) {
		for _, f := range strings.FieldsFunc(line, func(r rune) bool { return unicode.IsSpace(r) || r == '/' || r == '—' }) {
			low := strings.ToLower(strings.TrimFunc(f, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
			low = strings.ReplaceAll(low, "’", "'")
			if low != "" {
				out = append(out, token{stem: stem(low), low: low, item: item})
			}
			if strings.HasSuffix(f, ".") || strings.HasSuffix(f, ";") || strings.HasSuffix(f, "?") || strings.HasSuffix(f, "!") {
				item++
			}
		}
		item++
	}
	return out
}

func stem(low string) string {
	if n, ok := numbers[low]; ok {
		return n
	}
	return recall.EnglishStem(strings.TrimSuffix(low, "'s"))
}

func (r reading) carries(highlight string) bool {
	for _, alternative := range strings.Split(expandDuration(highlight), "/") {
		if r.carriesOne(alternative) {
			return true
		}
	}
	return false
}

// expandDuration writes a doctor's "4/7" as four days, before the slash is taken to mean "or".
func expandDuration(h string) string {
	f := strings.Fields(h)
	for i, w := range f {
		n, unit, ok := strings.Cut(w, "/")
		if _, err := strconv.Atoi(n); !ok || err != nil {
			continue
		}
		switch unit {
		case "7":
			f[i] = n + " days"
		case "52":
			f[i] = n + " weeks"
		case "12":
			f[i] = n + " months"
		}
	}
	return strings.Join(f, " ")
}

func (r reading) carriesOne(h string) bool {
	denies := false
	content, found := 0, 0
	for _, f := range strings.Fields(strings.ReplaceAll(h, "-", " ")) {
		low := strings.ToLower(strings.TrimFunc(f, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
		if low == "no" || low == "not" {
			denies = true
		}
		if low == "" || framing[low] {
			continue
		}
		content++
		if r.says(low, denies) {
			found++
		}
	}
	return content > 0 && float64(found) >= Threshold*float64(content)
}

// says reports whether a term stands in the text, itself or in plain words, denied or not as asked.
func (r reading) says(low string, denied bool) bool {
	ways := []string{low}
	if p := plain[low]; p != "" {
		ways = append(ways, strings.Split(p, "|")...)
	}
	for _, way := range ways {
		var stems []string
		for _, w := range strings.Fields(way) {
			stems = append(stems, stem(w))
		}
		for i := range r {
			if r[i].stem == stems[0] && r.near(i, stems[1:]) && r.denied(i) == denied {
				return true
			}
		}
	}
	return false
}

const window = 8

func (r reading) near(i int, stems []string) bool {
	for _, s := range stems {
		ok := false
		for k := max(0, i-window); k < min(len(r), i+window+1) && !ok; k++ {
			ok = r[k].stem == s && r[k].item == r[i].item
		}
		if !ok {
			return false
		}
	}
	return true
}

// denied reports whether a denial stands close before the word in its sentence, or an answer "no" right after it.
func (r reading) denied(i int) bool {
	for k := i - 1; k >= max(0, i-3) && r[k].item == r[i].item; k-- {
		if deny[r[k].low] {
			return true
		}
	}
	for k := i + 1; k <= min(len(r)-1, i+4) && r[k].item == r[i].item; k++ {
		if r[k].low == "no" {
			return true
		}
	}
	return false
}
