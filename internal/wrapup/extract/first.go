package extract

import (
	"strings"

	"github.com/recallerhq/recaller"
)

var adverbs = set(`also really just actually currently still always usually often absolutely personally honestly recently only definitely
	generally normally basically truly mostly typically regularly already finally ever do sometimes now even officially never totally
	particularly especially quite thoroughly both simply all well genuinely kinda literally probably sort`)

var unsure = set(`never sometimes ever even probably`)

// first reads a statement that begins with "I" at i.
func (x *extractor) first(s sentence, i int) {
	v := i + 1
	if s.is(v, "think", "i") || s.is(v, "guess", "i") {
		return
	}
	for s.in(v, adverbs) && !s.is(v, "do", "not") {
		if s.in(v, unsure) {
			return
		}
		v++
	}
	switch {
	case s.is(v, "do", "not"), s.is(v, "can", "not"):
		x.denied(s, v+2, s.w(v))
	case s.is(v, "am"):
		x.am(s, v+1)
	case s.is(v, "have", "got"):
		x.have(s, v+2)
	case s.is(v, "have"):
		if !x.haveBeen(s, v+1) {
			x.have(s, v+1)
		}
	case s.is(v, "got"):
		if !x.past(s, v) {
			x.have(s, v+1)
		}
	case s.is(v, "used", "to"):
		x.usedTo(s, v+2)
	case s.is(v, "had") && s.pastMark(v+1):
		x.illness(s, v+1, "", "condition_")
	case s.is(v, "was"):
		x.was(s, v+1)
	default:
		if !x.taste(s, v) && !x.present(s, v) {
			x.past(s, v)
		}
	}
}

// we reads a statement that begins with "we": only what a caller shares with his household.
func (x *extractor) we(s sentence, i int) {
	v := i + 1
	for s.in(v, adverbs) && !s.in(v, unsure) {
		v++
	}
	switch {
	case s.is(v, "live"):
		x.live(s, v+1)
	case s.is(v, "are", "planning"):
		x.planning(s, v+2)
	case s.is(v, "have", "got"):
		x.own(s, v+2)
	case s.is(v, "have"):
		x.own(s, v+1)
	case s.is(v, "moved"), s.is(v, "got", "married"), s.is(v, "adopted"):
		x.past(s, v)
	case s.is(v, "are", "moving"), s.is(v, "are", "expecting"):
		x.doing(s, v+1)
	}
}

// taste reads likes and dislikes. It reports whether the verb was one, whether or not it gave a memory.
func (x *extractor) taste(s sentence, v int) bool {
	key, sure := "", 0.9
	switch s.w(v) {
	case "love", "enjoy", "adore":
		key = "likes_"
	case "like":
		key, sure = "likes_", 0.8
	case "prefer":
		key = "prefers_"
	case "hate", "dislike", "detest", "loathe":
		key = "dislikes_"
	default:
		return false
	}
	x.tastes(s, v+1, key, sure)
	return true
}

// tastes keeps what is liked or not, thing by thing.
func (x *extractor) tastes(s sentence, from int, key string, sure float64) {
	if s.is(from, "to", "be", "called") || s.is(from, "being", "called") {
		x.called(s, from+2+b2i(s.is(from, "to")))
		return
	}
	if s.in(from, passing) || s.is(from-1, "love", "to") && s.in(from+1, passingVerbs) {
		return
	}
	if s.is(from, "to") {
		if s.in(from+1, passingVerbs) {
			return
		}
	}
	end := s.object(from, 9, true)
	if !s.clean(from, end) || s.is(end, "is") || s.is(end, "are") || s.is(end, "was") {
		return
	}
	if s.in(from, passingVerbs) || end-from >= 8 && !s.broken(end-1) && !stops[s.w(end)] { // of the moment, or cut off
		return
	}
	if end-from == 2 && s.article(from) > from && s.broken(end-1) && end < len(s.words) { // "a clean, professional style"
		return
	}
	for _, part := range s.items(from, end) {
		text := s.value(part[0], part[1])
		if thing := tasteSlug(text); !plainThings[thing] {
			x.add(draft{recaller.Preference, key + thing, text, sure, nil, false})
		}
	}
}

// plainThings say nothing of a person who likes them.
var plainThings = set(`job work idea ideas people place places food things thing way lot life time day days house home`)

// tasteSlug names what is liked in a few words: "a bit of jazz in the evening" is jazz.
func tasteSlug(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		if strings.EqualFold(w, "of") && i > 0 && amounts[strings.ToLower(words[i-1])] {
			words = words[i+1:]
			break
		}
	}
	for i, w := range words {
		if i > 0 && placed[strings.ToLower(w)] && !(i == 1 && passingVerbs[strings.ToLower(words[0])] || i == 1 && strings.EqualFold(words[0], "going")) {
			words = words[:i]
			break
		}
	}
	named := slugWordsOf(strings.Join(words, " "))
	return strings.Join(named[:min(len(named), slugWords)], "_")
}

var (
	amounts = set(`bit lot lots little kind kinds sort sorts type types glass cup piece`)
	placed  = set(`in on at with for during from when after before while without by`)
)

// passing begins what is said of the moment: "I love the idea", "I like how …".
var passing = set(`the that this these those your how when what it its where who both all every each being to_see seeing hearing having
	them him her you more most if knowing getting so`)

var passingVerbs = set(`know see hear have get find try think be add share ask learn start make thank start discuss explore say
	buy visit book order check incorporate include use focus keep knowing finding using trying adding learning hearing asking
	schedule incorporating look take stay switch set charge using getting having making doing`)

// items cuts a list into its things; a list whose things are too long is one thing.
func (s sentence) items(from, end int) [][2]int {
	var out [][2]int
	start := from
	for i := from; i < end; i++ {
		and := s.is(i, "and") || s.is(i, "or")
		if !and && s.words[i].after != ',' {
			continue
		}
		stop := i
		if !and {
			stop++
		}
		if stop > start {
			out = append(out, [2]int{start, stop})
		}
		start = i + 1
	}
	if start < end {
		out = append(out, [2]int{start, end})
	}
	for k, p := range out {
		if p[1]-p[0] > 3 || k > 0 && (s.is(p[0], "to") || p[1]-p[0] != out[0][1]-out[0][0]) {
			return [][2]int{{from, end}}
		}
	}
	return out
}

// denied reads "I do not …" and "I can not …".
func (x *extractor) denied(s sentence, v int, aux string) {
	for s.in(v, adverbs) {
		v++
	}
	if aux == "can" {
		x.unable(s, v)
		return
	}
	switch {
	case s.is(v, "like") || s.is(v, "enjoy"):
		x.tastes(s, v+1, "dislikes_", 0.85)
	case s.is(v, "smoke"):
		x.add(draft{recaller.Context, "smoking", "does not smoke", 0.95, nil, false})
	case s.is(v, "drink") && (s.broken(v) || s.is(v+1, "alcohol") || s.is(v+1, "anymore") || s.is(v+1, "at")):
		x.add(draft{recaller.Context, "alcohol", "does not drink alcohol", 0.9, nil, false})
	case s.is(v, "eat"):
		end := s.object(v+1, 4, true)
		if s.clean(v+1, end) && end-v <= 3 && !s.oneOf(v+1, `a much well enough breakfast lunch dinner`) {
			x.add(draft{recaller.Preference, "diet_no_" + slug(s.value(v+1, end)), "does not eat " + s.value(v+1, end), 0.85, nil, false})
		}
	case s.is(v, "drive") && s.broken(v), s.is(v, "drive", "anymore"), s.is(v, "drive", "any", "more"):
		x.add(draft{recaller.Context, "driving", "does not drive", 0.9, nil, false})
	case s.is(v, "have"):
		x.lacking(s, v+1)
	case s.is(v, "sleep", "well"), s.is(v, "sleep") && s.is(v+2, "well") && s.oneOf(v+1, `so very too that`):
		x.add(draft{recaller.Wellbeing, "sleep_quality", "does not sleep well", 0.85, nil, false})
	}
}

// lacking keeps the few things whose absence is worth knowing.
func (x *extractor) lacking(s sentence, v int) {
	if s.is(v, "any") {
		v++
	}
	for s.is(v, "known") || s.is(v, "drug") || s.is(v, "food") {
		v++
	}
	switch {
	case s.is(v, "allergies"):
		x.add(draft{recaller.Fact, "allergies", "no known allergies", 0.9, nil, false})
	case (s.is(v, "children") || s.is(v, "kids")) && s.broken(v):
		x.add(draft{recaller.Fact, "children", "no children", 0.9, nil, false})
	case s.is(v, "a", "car") && s.broken(v+1):
		x.add(draft{recaller.Fact, "vehicle", "no car", 0.9, nil, false})
	}
}

func (x *extractor) unable(s sentence, v int) {
	switch {
	case s.is(v, "stand") && !s.is(v+1, "up") && !s.is(v+1, "for") && !s.is(v+1, "on"):
		x.tastes(s, v+1, "dislikes_", 0.85)
	case s.is(v, "drive") && (s.broken(v) || s.is(v+1, "anymore") || s.is(v+1, "any", "more") || s.is(v+1, "now")):
		x.add(draft{recaller.Context, "driving", "cannot drive", 0.9, nil, false})
	case s.is(v, "eat"):
		end := s.object(v+1, 4, true)
		if s.clean(v+1, end) && end-v <= 3 && !s.oneOf(v+1, `a much properly anything well enough`) {
			x.add(draft{recaller.Preference, "diet_no_" + slug(s.value(v+1, end)), "cannot eat " + s.value(v+1, end), 0.85, nil, false})
		}
	case s.is(v, "hear", "well"), s.is(v, "hear", "very", "well"):
		x.add(draft{recaller.Context, "hearing", "does not hear well", 0.85, nil, false})
	case s.is(v, "walk", "far"), s.is(v, "walk", "very"), s.is(v, "walk") && s.broken(v):
		x.add(draft{recaller.Context, "mobility", "cannot " + strings.ToLower(s.value(v, s.object(v, 4, false))), 0.85, nil, false})
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
