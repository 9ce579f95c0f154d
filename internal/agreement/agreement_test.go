package agreement_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agreement"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// wednesday is when the dialogues of these tests begin: Wednesday 14 October 2026.
var wednesday = time.Date(2026, 10, 14, 10, 0, 0, 0, time.UTC)

// script reads "A: …" and "C: …" lines as the turns of a conversation that begins at base.
func script(base time.Time, lines string) reading.Reading {
	var turns []recaller.Turn
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		who, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
		speaker := recaller.Assistant
		if who == "C" {
			speaker = recaller.User
		}
		n := len(turns)
		turns = append(turns, recaller.Turn{Number: n, Speaker: speaker, Text: text, At: base.Add(time.Duration(n) * 5 * time.Second)})
	}
	return reading.Of(turns, base, false)
}

// told is what stands after conversations on the days given, an hour after the last: "Tue 20 Oct 09:30 open", one each
// line. What is over or done is left out; what is held says so.
func told(t *testing.T, calls ...call) string {
	t.Helper()
	var acts []recaller.Act
	last := wednesday
	for i, c := range calls {
		last = wednesday.AddDate(0, 0, c.day)
		for _, a := range agreement.Find(script(last, c.words)) {
			a.Conversation = recaller.ConversationID(fmt.Sprint(i))
			if len(a.Said) == 0 || a.SaidAt.IsZero() {
				t.Errorf("an act of nobody's words: %+v", a)
			}
			acts = append(acts, a)
		}
	}
	var out []string
	for _, g := range agreement.Fold(acts, last.Add(time.Hour)) {
		form := "Mon 2 Jan 15:04"
		if g.Day {
			form = "Mon 2 Jan"
		}
		switch g.State {
		case recaller.AgreementOpen:
			out = append(out, g.At.Format(form))
		case recaller.AgreementHeld:
			out = append(out, "held "+g.At.Format(form))
		}
	}
	return strings.Join(out, ", ")
}

// call is a conversation that many days after the first.
type call struct {
	day   int
	words string
}

func TestWhatStandsAfterACall(t *testing.T) {
	for _, d := range dialogues {
		t.Run(d.name, func(t *testing.T) {
			if got := told(t, d.calls...); got != d.want {
				t.Errorf("got %q, want %q", got, d.want)
			}
		})
	}
}

func one(words string) []call { return []call{{0, words}} }

var dialogues = []struct {
	name  string
	calls []call
	want  string
}{
	{"an offer is taken", one(`
		A: I have tomorrow at nine or Friday at two.
		C: Friday's good.
		A: Great, is there anything else?`), "Fri 16 Oct 14:00"},
	{"an offer is repeated by its hour", one(`
		A: She can call you on Friday at ten in the morning.
		C: Friday at ten. Fine.`), "Fri 16 Oct 10:00"},
	{"read back and not contested", one(`
		C: Could somebody look at the roof on Monday?
		A: So that's Monday at eleven in the morning with Piet.
		C: Tell him to mind the dog.`), "Mon 19 Oct 11:00"},
	{"an offer is refused", one(`
		A: I could do Thursday at three.
		C: No, Thursday I'm on shift.
		A: I'm afraid that is all we have this week.
		C: Then leave it.`), ""},
	{"only asked for", one(`
		C: Do you have anything on Friday?
		A: Let me look. No, I'm sorry, Friday is full.
		C: Okay, bye.`), ""},
	{"what if", one(`
		C: If it gets worse I might come in on Monday.
		A: Alright, take care.`), ""},
	{"the office is closed", one(`
		A: We are closed on Monday.
		C: Okay.`), ""},
	{"a promise with a day", one(`
		C: When do I get the invoice?
		A: I'll ask accounts to post it. You'll have it by Friday.
		C: By Friday. Right.`), "Fri 16 Oct"},
	{"a caller's promise", one(`
		C: Keep it behind the bar. I'll be in for it tomorrow.
		A: It'll be here with your name on it.`), "Thu 15 Oct"},
	{"without any marks", one(`
		A: i have friday at three thirty with doctor amato
		C: yeah do that
		A: great you're all set`), "Fri 16 Oct 15:30"},
	{"the later one", one(`
		A: There is one on Thursday at nine and one on Friday at four.
		C: The later one, please.`), "Fri 16 Oct 16:00"},
	{"cancelled in a later call", []call{{0, `
		A: So that's Friday at nine, then.
		C: Perfect.`}, {1, `
		C: I need to cancel tomorrow's appointment.
		A: I've cancelled it, no charge.`}}, ""},
	{"asked to cancel, and thought better of it", []call{{0, `
		A: So that's Friday at nine, then.
		C: Perfect.`}, {1, `
		C: I thought of cancelling tomorrow, but no, leave it.
		A: See you tomorrow at nine, then.`}}, "Fri 16 Oct 09:00"},
	{"read back and contested", one(`
		A: So that is Monday at eleven.
		C: No, not Monday. Tuesday.
		A: Sorry. Tuesday at eleven, then.
		C: Thanks.`), "Tue 20 Oct 11:00"},
	{"moved in a later call", []call{{0, `
		A: So that's Friday at nine, then.
		C: Perfect.`}, {1, `
		C: I have you down for tomorrow at nine and I can't make it. Have you got Monday?
		A: Monday at nine is free.
		C: Good.
		A: I've moved it to Monday at nine.`}}, "Mon 19 Oct 09:00"},
	{"auf Deutsch", one(`
		A: Ich hätte am Montag um neun Uhr etwas frei.
		C: Montag um neun. Gut.
		A: Dann bis Montag.`), "Mon 19 Oct 09:00"},
	{"en español", one(`
		A: ¿Le parece el viernes a las once?
		C: Sí, está perfecto.
		A: Anotado.`), "Fri 16 Oct 11:00"},
	{"another matter stays", []call{{0, `
		A: I've booked the plumber for Monday at nine.
		C: Great.
		A: And I'll call you on Friday about the invoice.
		C: Thanks.`}, {1, `
		C: Cancel the plumber on Monday, please.
		A: The plumber is cancelled.`}}, "Fri 16 Oct"},
	{"broken off before anybody agreed", []call{{0, `
		A: I could do Friday at nine.
		C: Hang on, let me just`}}, ""},
}
