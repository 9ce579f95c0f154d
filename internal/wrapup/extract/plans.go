package extract

import (
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/when"
)

// doing reads what follows "I am" in the continuous form: plans, studies, work. It reports whether the verb was one.
func (x *extractor) doing(s sentence, v int) bool {
	switch s.w(v) {
	case "planning":
		x.planning(s, v+1)
	case "living":
		x.live(s, v+1)
	case "working":
		if s.is(v+1, "as") || s.is(v+1, "at") || s.is(v+1, "from") {
			x.work(s, v+1)
		}
	case "studying":
		x.studies(s, v+1)
	case "learning":
		if s.is(v+1, "to") || languages[s.w(v+1)] || instruments[s.w(v+1)] || instruments[s.w(v+2)] {
			x.lately(s, v)
		}
	case "training", "preparing", "saving":
		x.working(s, v)
	case "expecting":
		if s.is(v+1, "a", "baby") || s.is(v+1, "our") || s.is(v+1, "twins") || s.is(v+1, "my", "first") {
			x.ahead(s, v, s.clauseEnd(v, 10), "baby", "", false)
		}
	case "moving":
		if s.is(v+1, "to") || s.is(v+1, "into") {
			x.ahead(s, v, s.clauseEnd(v, 10), "plan_move", "", false)
		}
	case "getting":
		if s.is(v+1, "married") || s.is(v+1, "divorced") {
			x.ahead(s, v, s.clauseEnd(v, 10), "plan_"+s.w(v+1), "", false)
		} else {
			x.ahead(s, v, s.clauseEnd(v, 12), "", "", true)
		}
	case "retiring", "seeing", "visiting", "meeting", "flying", "traveling", "travelling", "starting", "having", "hosting", "leaving", "attending", "going",
		"throwing", "running", "graduating", "taking":
		if s.is(v, "going", "to") && !s.thing(v+2) || s.is(v, "having", "trouble") {
			return true
		}
		x.ahead(s, v, s.clauseEnd(v, 13), "", "", true)
	default:
		return false
	}
	return true
}

// thing reports whether what follows "going to" is a place or thing rather than a verb.
func (s sentence) thing(i int) bool {
	return i < len(s.words) && (s.oneOf(i, `a an the my our`) || s.words[i].text != s.w(i))
}

// working keeps what one trains, prepares or saves for.
func (x *extractor) working(s sentence, v int) {
	n := v + 1
	if s.is(n, "up") {
		n++
	}
	if !s.is(n, "for") {
		return
	}
	x.ahead(s, v, s.clauseEnd(v, 11), "plan_"+slug(s.text(n+1, min(s.clauseEnd(n+1, 4), n+4))), "", false)
}

// planning reads what follows "planning": "a trip to Japan in April", "to visit my sister in May".
func (x *extractor) planning(s sentence, v int) {
	if s.is(v, "on") {
		v++
	}
	if s.is(v, "to") {
		x.planTo(s, v+1)
		return
	}
	end := s.clauseEnd(v, 13)
	for i := v; i < end && i < v+7; i++ {
		if s.oneOf(i+1, `gift gifts dress cake speech present menu budget invitation video`) {
			return
		}
		if s.in(i, tripNouns) && !s.in(i+1, tripNouns) {
			if end <= i+1+b2i(s.is(i+1, "soon")) && s.article(v) == i { // "a trip soon": neither where nor when
				return
			}
			x.ahead(s, v, end, "plan_"+slug(planKey(s, v, i, end)), "planning", false)
			return
		}
	}
	if strings.HasSuffix(s.w(v), "ing") {
		x.ahead(s, v, end, "", "planning on", true)
	}
}

// planKey names a plan by its noun and where it goes: "trip to Japan".
func planKey(s sentence, v, i, end int) string {
	if s.is(i+1, "to") && i+3 <= end {
		to := i + 3
		for to < end && to < i+6 && (s.is(to-1, "the") || s.words[to].text != s.w(to)) {
			to++
		}
		return s.text(i, to)
	}
	return s.text(max(v, i-2), i+1)
}

// planTo keeps "planning to visit Boston next month": with a date only.
func (x *extractor) planTo(s sentence, v int) {
	if s.oneOf(v, `visit attend see`) && s.in(v+1, prepositions) { // what was said before
		return
	}
	if s.oneOf(v, `try use make start check look ask do get add follow include give keep incorporate explore cook bake research talk watch`) {
		return
	}
	x.ahead(s, v, s.clauseEnd(v, 13), "", "planning to", true)
}

// ahead keeps a plan of the words [v, end). With must set it is kept only if it has a date that lies ahead.
func (x *extractor) ahead(s sentence, v, end int, key, lead string, must bool) {
	if !s.clean(v, end) || end-v < 2 {
		return
	}
	text, f := x.dated(s.value(v, end))
	if x.recurring(text) || f != nil && !x.upcoming(f) || must && (f == nil || x.vagueDate(f)) {
		return
	}
	if key == "" {
		key = "plan_" + slug(s.text(v+b2i(s.oneOf(v, `going having doing attending getting taking attend have take go`)), end))
	}
	d := draft{kind: recaller.FollowUp, key: key, value: strings.TrimSpace(lead + " " + text), sure: 0.85}
	d.due, d.day = x.due(f)
	x.add(d)
}

// vagueDate reports whether a date is no more than "today" or "this year": too near or too wide for a plan of its own.
func (x *extractor) vagueDate(f *when.Found) bool {
	p := strings.ToLower(f.Phrase)
	return strings.Contains(p, "today") || strings.Contains(p, "tonight") || strings.HasPrefix(p, "this morning") || p == "this year" || p == "this week"
}

// due is when a follow-up with the date f comes due: where the date is a stretch that has begun, on the day it was said.
func (x *extractor) due(f *when.Found) (*time.Time, bool) {
	if f == nil {
		return nil, false
	}
	at := f.At
	if said := x.u.at; f.Day && at.Before(said) {
		at = time.Date(said.Year(), said.Month(), said.Day(), 0, 0, 0, 0, said.Location())
	}
	return &at, f.Day
}

// event reads an appointment, or another thing that takes place: "a doctor's appointment next Tuesday".
func (x *extractor) event(s sentence, v int) bool {
	end := s.clauseEnd(v, 14)
	for i := v; i < end && i < v+6; i++ {
		if !s.in(i, events) {
			if s.oneOf(i, `to for with of about that the`) && i > v {
				return false
			}
			continue
		}
		if s.is(i, "date") && s.is(i+1, "of") || s.is(i, "test") && s.is(i+1, "for") {
			return false
		}
		x.eventAt(s, v, i, end)
		return true
	}
	return false
}

// eventAt keeps the event whose noun is at i. Without a date ahead only what is sure to come is kept.
func (x *extractor) eventAt(s sentence, v, i, end int) {
	from := s.article(v)
	if s.is(from, "my") || s.is(from, "our") {
		from++
	}
	if from > i {
		return
	}
	name := s.text(from, i+1)
	text, f := x.dated(s.value(from, end))
	if !s.clean(from, end) {
		stop := i + 1
		if f != nil {
			return
		}
		text = s.value(from, stop)
	}
	coming := strings.Contains(text, "coming up") || strings.Contains(text, "scheduled") || s.is(from, "upcoming")
	if f == nil && !coming || f != nil && !x.upcoming(f) || x.recurring(text) {
		return
	}
	if !s.oneOf(i, `appointment surgery interview exam wedding procedure`) && f == nil && !coming {
		return
	}
	d := draft{kind: recaller.FollowUp, key: slug(strings.TrimPrefix(name, "upcoming ")), value: text, sure: 0.9}
	d.due, d.day = x.due(f)
	x.add(d)
}

// opening reads sentences that leave the subject out: "doctor's appointment next Tuesday", "sleeping much better now".
func (x *extractor) opening(s sentence) {
	i := 0
	for s.in(i, starters) && !s.is(i, "right") {
		i++
	}
	if i >= s.ask {
		return
	}
	switch {
	case s.is(i, "allergic", "to"):
		x.allergicTo(s, i+2)
	case s.is(i, "sleeping") && i == 0:
		x.feeling(s, i, "feeling ")
	case s.is(i, "call", "me"):
		x.called(s, i+2)
	case s.is(i, "there", "is", "a") || s.is(i, "there", "is", "my"):
		x.event(s, i+2)
	case !s.oneOf(i, `i we my our you he she they it what how any for the this that is are do can`) || s.is(i, "the"):
		if s.is(i+1, "appointment") || s.is(i+2, "appointment") {
			x.event(s, i)
		}
	}
}
