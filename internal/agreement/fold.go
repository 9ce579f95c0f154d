package agreement

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/speech"
)

// Fold folds the acts of a caller's conversations, in the order in which they were said, into the agreements that stand
// at now, soonest first. now's Location is the caller's zone. The order in which acts are listed makes no difference.
// Acts that were said after now do not count.
func Fold(acts []recaller.Act, now time.Time) []recaller.Agreement {
	acts = slices.DeleteFunc(slices.Clone(acts), func(a recaller.Act) bool { return a.SaidAt.After(now) })
	slices.SortStableFunc(acts, func(a, b recaller.Act) int {
		return cmp.Or(a.SaidAt.Compare(b.SaidAt), cmp.Compare(a.Conversation, b.Conversation), a.At.Compare(b.At),
			cmp.Compare(a.Kind, b.Kind))
	})
	f := fold{zone: now.Location()}
	for i := range acts {
		f.take(&worded{Act: acts[i]})
	}
	list := make([]recaller.Agreement, len(f.list))
	for i := range f.list {
		g := &f.list[i]
		if live(g) && (f.over(g, now) || f.lapsed(g, now)) {
			g.State = recaller.AgreementOver
		}
		list[i] = g.Agreement
	}
	slices.SortStableFunc(list, func(a, b recaller.Agreement) int { return a.At.Compare(b.At) })
	return list
}

type fold struct {
	zone *time.Location
	list []standing
}

// standing is an agreement as far as the acts were read.
type standing struct {
	recaller.Agreement
	by *worded // By, with its words
}

// worded is an act whose words are read when they are first asked for, and once: a fold compares each with many.
type worded struct {
	recaller.Act
	said, about []string
	read        bool
}

func (a *worded) words() *worded {
	if !a.read {
		a.said = quoted(a.Act)
		a.about, a.read = matter(a.said), true
	}
	return a
}

// quoted returns the words of the act.
func (a *worded) quoted() []string { return a.words().said }

// matter returns those that say what it is about.
func (a *worded) matter() []string { return a.words().about }

func (f *fold) date(t time.Time) time.Time { return dateOf(t.In(f.zone)) }

// live reports whether an agreement is open or held.
func live(g *standing) bool {
	return g.State == recaller.AgreementOpen || g.State == recaller.AgreementHeld
}

// lapsed reports whether something is held no longer, because its time limit has passed.
func (f *fold) lapsed(g *standing, now time.Time) bool {
	return g.State == recaller.AgreementHeld && slices.ContainsFunc(g.By.Of, func(s recaller.Stretch) bool {
		return !s.From.After(now) && (s.From.In(f.zone).Hour() > 0 || f.date(s.From).Before(f.date(now)))
	})
}

// late is how long after its hour an agreement may still be meant as one to come, by somebody who is late or waits.
const late = 2 * time.Hour

// over reports whether the day of an agreement is past, or its hour by more than late.
func (f *fold) over(g *standing, now time.Time) bool {
	return f.date(g.At).Before(f.date(now)) || !g.Day && !now.Before(g.At.Add(late))
}

func (f *fold) take(a *worded) {
	switch a.Kind {
	case recaller.ActCancelled:
		for _, i := range f.meant(a, true) {
			f.end(i, recaller.AgreementCancelled, &a.Act)
		}
	case recaller.ActDone:
		for _, i := range f.done(a) {
			f.end(i, recaller.AgreementDone, &a.Act)
		}
	case recaller.ActHeld:
		f.open(a)
	default:
		for _, i := range f.replaced(a) {
			if g := f.list[i]; !g.At.Equal(a.At) || g.Day != a.Day {
				f.end(i, recaller.AgreementMoved, &a.Act)
			}
		}
		f.open(a)
	}
}

// replaced returns the agreements that an act replaces with another time. A time that it only says will not do is
// replaced if the act names its day.
func (f *fold) replaced(a *worded) []int {
	if a.Kind == recaller.ActSettled && len(a.Of) == 0 {
		return nil
	}
	return f.meant(a, a.Kind == recaller.ActSettled)
}

func (f *fold) end(i int, state recaller.AgreementState, a *recaller.Act) {
	f.list[i].State, f.list[i].Ended = state, a
}

// open adds an agreement. The same day and hour make it the same agreement, said again. So does the same day if either
// names no hour. Another hour on the same day replaces the first if they share a matter. What was held and is now
// settled is no longer held.
func (f *fold) open(a *worded) {
	state := recaller.AgreementOpen
	if a.Kind == recaller.ActHeld {
		state = recaller.AgreementHeld
	}
	for i := range f.list {
		g := &f.list[i]
		if !live(g) || !f.date(g.At).Equal(f.date(a.At)) {
			continue
		}
		switch {
		case g.State == recaller.AgreementHeld && (g.Day || a.Day || g.At.Equal(a.At)):
			if g.State, g.By, g.by = state, a.Act, a; !a.Day {
				g.At, g.Day = a.At, false
			}
			return
		case state == recaller.AgreementHeld && (g.Day || a.Day || g.At.Equal(a.At)):
			return
		case g.At.Equal(a.At) && g.Day == a.Day, a.Day && !g.Day && alike(g.by, a):
			return
		case g.Day && !a.Day && alike(g.by, a):
			g.At, g.Day, g.By, g.by = a.At, a.Day, a.Act, a
			return
		case !g.Day && !a.Day && g.By.Conversation == a.Conversation && alike(g.by, a):
			f.end(i, recaller.AgreementMoved, &a.Act)
		}
	}
	f.list = append(f.list, standing{recaller.Agreement{At: a.At, Day: a.Day, State: state, By: a.Act}, a})
}

// meant returns the open agreements that an act moves or cancels: those of the times that it names. If it names none
// (or, if exact is not set, none of theirs), it means the one that it shares words with, else the only one, or the last
// of its own conversation.
func (f *fold) meant(a *worded, exact bool) []int {
	var open, named []int
	for i := range f.list {
		g := &f.list[i]
		if !live(g) || f.date(g.At).Before(f.date(a.SaidAt)) {
			continue
		}
		open = append(open, i)
		if slices.ContainsFunc(a.Of, func(s recaller.Stretch) bool { return f.within(g, s) }) {
			named = append(named, i)
		}
	}
	if len(named) > 1 {
		return f.closest(named, a)
	}
	if len(named) == 1 {
		return named
	}
	if exact && len(a.Of) > 0 {
		return nil // it names another time
	}
	clear := slices.ContainsFunc(a.Said, func(s recaller.Saying) bool {
		return sentence{words: plain(speech.Words(s.Text))}.callsOff()
	})
	if exact && !clear && len(a.quoted()) > 0 {
		open = slices.DeleteFunc(open, func(i int) bool { // "it's off" may be said of anything
			return shared(a.matter(), f.list[i].by.matter()) == 0
		})
	}
	open = slices.DeleteFunc(open, func(i int) bool { return !exact && f.list[i].At.Equal(a.At) })
	if len(open) < 2 {
		return open
	}
	if best := f.closest(open, a); len(best) == 1 {
		return best
	}
	if l := open[len(open)-1]; f.list[l].By.Conversation == a.Conversation {
		return []int{l}
	}
	return nil
}

// within reports whether an agreement lies in a stretch of time: a day, a week, or the hour of a day.
func (f *fold) within(g *standing, s recaller.Stretch) bool {
	day, from := f.date(g.At), f.date(s.From)
	if s.To.Sub(s.From) > 36*time.Hour {
		return !day.Before(from) && day.Before(f.date(s.To))
	}
	return day.Equal(from)
}

// closest returns the agreements that share the most words with an act; all, if none shares more than another.
func (f *fold) closest(of []int, a *worded) []int {
	most := 0
	var best []int
	for _, i := range of {
		switch n := shared(a.matter(), f.list[i].by.matter()); {
		case n > most:
			best, most = []int{i}, n
		case n == most:
			best = append(best, i)
		}
	}
	return best
}

// done returns the agreements that an act says have happened: those of its day, and what was awaited and has come.
func (f *fold) done(a *worded) []int {
	var out []int
	for i := range f.list {
		g := &f.list[i]
		switch {
		case !live(g):
		case !g.At.After(a.SaidAt) && (!g.Day || f.date(g.At).Before(f.date(a.SaidAt))) &&
			slices.ContainsFunc(a.Of, func(s recaller.Stretch) bool { return f.within(g, s) }):
			out = append(out, i)
		case g.By.Conversation == a.Conversation || !arrived.in(a.quoted()) || shared(a.matter(), g.by.matter()) == 0:
		case len(a.Of) == 0,
			slices.ContainsFunc(a.Of, func(s recaller.Stretch) bool {
				return !f.date(s.From).Before(f.date(g.By.SaidAt))
			}):
			out = append(out, i)
		}
	}
	return out
}

// alike reports whether two acts may be about one matter: they share a word, or one of them has none.
func alike(a, b *worded) bool {
	x, y := a.matter(), b.matter()
	return a.Conversation == b.Conversation || len(x) == 0 || len(y) == 0 || shared(x, y) > 0
}

// Concerns reports whether words are about the matter of an agreement. They share a word that says what it is about. If
// either has none, they are of one conversation.
func Concerns(g recaller.Agreement, conversation recaller.ConversationID, words string) bool {
	x, y := matter(quoted(g.By)), matter(plain(speech.Words(words)))
	if len(x) == 0 || len(y) == 0 {
		return g.By.Conversation == conversation
	}
	return shared(x, y) > 0
}

// quoted returns the words of an act.
func quoted(a recaller.Act) []string {
	var out []string
	for _, s := range a.Said {
		out = append(out, plain(speech.Words(s.Text))...)
	}
	return out
}

// matter returns those of an act's words that say what it is about.
func matter(said []string) []string {
	var out []string
	for _, w := range said {
		w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "s")
		if len(w) >= leastMatter && !common[w] && !speech.IsNumber(w) && !slices.Contains(out, w) && !accepts[w] &&
			!commits[w] {
			out = append(out, w)
		}
	}
	return out
}

// leastMatter is how many letters such a word has at least.
const leastMatter = 4
