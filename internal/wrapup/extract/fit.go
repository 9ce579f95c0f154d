package extract

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller/internal/speech"
)

// fits reports whether the word at i means its topic here, and not something else that it also says: "the house next door",
// "it broke", "like a college student", "call it half past". A key that is wrong misleads whoever reads it.
func (l *tongue) fits(t *topic, w []string, i int) bool {
	before := at(w, i-1)
	if (before == "no" || before == "without" || before == "not" && t.key == "death") && !t.denied && t.key != "contact_preference" {
		return false
	}
	switch t.key {
	case "access":
		return before != "next" && (l.command(w) > 0 || reached(w, i) || l.asksOf(w))
	case "contact_preference":
		return at(w, i+1) != "it" && before != "over" && (before != "the" || at(w, i-2) != "over")
	case "mood":
		return slices.ContainsFunc(w[max(0, i-3):i], func(v string) bool { return feels[v] })
	case "vehicle":
		return before != "the" || !has(w[max(0, i-3):i], speech.Set("in to of on by from"))
	case "work":
		return !places[w[i]] || l.ownedNear(w, i)
	case "money":
		return w[i] != "broke" || feels[before] || feels[at(w, i-2)]
	case "study", "health":
		return !slices.Contains(w[max(0, i-6):i], "like") && before != "actual"
	case "reference":
		return slices.ContainsFunc(w, speech.IsNumber) || !strings.HasPrefix(w[i], "member") && !has(w[max(0, i-2):i], l.denial)
	case "address":
		mailed := slices.ContainsFunc(w, func(v string) bool { return strings.HasPrefix(v, "email") || strings.HasPrefix(v, "e-mail") })
		return !mailed && (w[i] != "moved" || i+1 == len(w) || moves[w[i+1]])
	}
	return true
}

var (
	feels  = speech.Set("am is was are feel feeling feels felt been be get getting so very bit too hab habe bin hatte tengo estoy siento being")
	places = speech.Set("office shop boss werkstatt büro oficina taller")
	enters = speech.Set(`spare come comes knock ring use uses park parks open opens stuck sticks locked lock unlock buzz buzzer safe lockbox keysafe round back front side
		code blocked climb walk shut painted broken works klingeln klemmt tocar toque entrar`)
)

var moves = speech.Set("to into in out here from away home house back since")

// reached reports whether words say how one gets in: beside the word at i there is one of getting in.
func reached(w []string, i int) bool {
	return slices.ContainsFunc(w[max(0, i-6):i], func(v string) bool { return enters[v] }) ||
		i+1 < len(w) && slices.ContainsFunc(w[i+1:min(len(w), i+7)], func(v string) bool { return enters[v] })
}

// asksOf reports whether words are of the agent's, about the caller.
func (l *tongue) asksOf(w []string) bool { return has(w, yours) }

var yours = speech.Set("your you ihr ihre ihren ihnen sie su sus usted tu tus")

// ownedNear reports whether the word at i is somebody's own: "my boss", "your little shop".
func (l *tongue) ownedNear(w []string, i int) bool {
	return slices.ContainsFunc(w[max(0, i-3):i], func(v string) bool { return l.own[v] || yours[v] }) || slices.Contains(w[max(0, i-3):i], "a")
}
