package extract

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/speech"
)

// fits reports whether the word at i means its topic here, and not something else that it also says: "the house next
// door", "it broke", "like a college student", "call it half past". A key that is wrong misleads whoever reads it.
func (l *tongue) fits(t *topic, w []string, i int) bool {
	before, next := at(w, i-1), at(w, i+1)
	if (before == "no" || before == "without" || before == "not" && (t.key == "death" || t.key == "condition")) && !t.denied && t.key != "contact_preference" {
		return false
	}
	switch t.key {
	case "access":
		return before != "next" && (l.command(w) > 0 || reached(w, i) || has(w, yours) && questions(w))
	case "contact_preference":
		return next != "it" && before != "over" && (before != "the" || at(w, i-2) != "over")
	case "death":
		return w[i] != "passed" || next == "away" || (next == "on" || next == "in" || next == "last") && at(w, i+2) != "the" && at(w, i+2) != "it"
	case "mood":
		return has(w[max(0, i-3):i], feels)
	case "vehicle":
		return !(inside[before] && !questions(w)) && (before != "the" || !has(w[max(0, i-3):i], spots)) && (at(w, i-2) != "in" && at(w, i-3) != "in" || l.ownedNear(w, i)) &&
			(has(w, l.self) || has(w, l.own) || has(w, yours) || has(w, possessing) || questions(w))
	case "work":
		return !places[w[i]] || l.ownedNear(w, i)
	case "money":
		return w[i] != "broke" || feels[before] || feels[at(w, i-2)]
	case "health":
		return l.ails(w, i)
	case "study":
		return !slices.Contains(w[max(0, i-6):i], "like") && next != "email" && next != "one" && next != "address" && before != "al"
	case "interest":
		return before != "will" && before != "would" && (!tools[w[i]] || has(w, plays))
	case "sleep_quality":
		return before != "will" && before != "would"
	case "language":
		return !strings.HasPrefix(w[i], "speak") || has(w, l.denial) || slices.ContainsFunc(w, func(v string) bool { return topicOf[v] == t && !strings.HasPrefix(v, "speak") })
	case "reference":
		return (slices.ContainsFunc(w, speech.IsNumber) || !strings.HasPrefix(w[i], "member") && !has(w[max(0, i-2):i], l.denial)) &&
			!(w[i] == "number" && spots[before])
	case "availability":
		return l.language != token.Spanish || strings.HasSuffix(w[i], "dos") && !l.lasting[w[i]] || before == "los" || before == "cada"
	case "address":
		mailed := slices.ContainsFunc(w, func(v string) bool { return strings.HasPrefix(v, "email") || strings.HasPrefix(v, "e-mail") })
		return !mailed && (w[i] != "moved" || (i+1 == len(w) || moves[next]) && (has(w, l.self) || has(w, l.own) || has(w, he))) && !modals[before] && !(strings.HasPrefix(w[i], "live") && next == "without")
	}
	return true
}

// questions reports whether words ask, by the first of them.
func questions(w []string) bool {
	return has(w[:min(len(w), 3)], topicalQuestion) && has(w, yours) || asking[w[0]]
}

// ails reports whether the word at i is of somebody's health: a part of the body is where it is somebody's, or hurts.
func (l *tongue) ails(w []string, i int) bool {
	before := w[max(0, i-3):i]
	switch {
	case slices.Contains(w[max(0, i-6):i], "like") || at(w, i-1) == "actual" || has(before, l.denial) && (w[i] == "sick" || w[i] == "wrong" || w[i] == "doctor"):
		return false
	case w[i] == "back":
		return (at(w, i-1) == "bad" || at(w, i-1) == "sore") && has(w, possessing)
	case w[i] == "blood":
		return tested[at(w, i+1)]
	case !body[w[i]]:
		return true
	}
	return has(before, l.own) || has(before, theirs) || has(before, parts) || slices.ContainsFunc(before, possessive) || questions(w)
}

var (
	tools  = speech.Set("guitar piano violin church garten")
	plays  = speech.Set("play plays playing learn lessons spiele in at")
	inside = speech.Set("in im ins vom zum from")
	spots  = speech.Set("in to of on by from at im ins vom zum")
	tested = speech.Set("pressure test tests sugar thinner thinners clot clots doctor type group count work")
	body   = speech.Set("hip knee knees shoulder ankle tooth teeth eye eyes heart lungs leg legs foot feet neck spine wrist chest ear ears hearing herz auge augen ojo ojos")
	parts  = speech.Set("me left right both new bad sore this that a the der die das dem den el la los las de")
	feels  = speech.Set("am is was are feel feeling feels felt been be get getting so very bit too hab habe bin hatte tengo estoy siento being")
	places = speech.Set("office shop boss werkstatt büro oficina taller")
	enters = speech.Set(`spare come comes knock ring use uses park parks open opens stuck sticks locked lock unlock buzz buzzer safe lockbox keysafe round back front side
		code blocked climb walk shut painted broken works klingeln klemmt tocar toque entrar`)
)

var moves = speech.Set("to into in out here from away home house back since")

// reached reports whether words say how one gets in: beside the word at i there is one of getting in.
func reached(w []string, i int) bool {
	return slices.ContainsFunc(w[max(0, i-6):i], func(v string) bool { return enters[v] }) && !slices.Contains(w[max(0, i-6):i], "over") ||
		i+1 < len(w) && slices.ContainsFunc(w[i+1:min(len(w), i+7)], func(v string) bool { return enters[v] })
}

var yours = speech.Set("your you ihr ihre ihren ihnen sie su sus usted tu tus")

// ownedNear reports whether the word at i is somebody's own: "my boss", "your little shop".
func (l *tongue) ownedNear(w []string, i int) bool {
	return slices.ContainsFunc(w[max(0, i-3):i], func(v string) bool { return l.own[v] || yours[v] }) || slices.Contains(w[max(0, i-3):i], "a")
}
