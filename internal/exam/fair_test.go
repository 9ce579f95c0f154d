package exam_test

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/exam"
)

// fair are true lines about the two calls, as models of different manners write them.
var fair = map[string]string{
	"dentist": `
Caller Tomas Reuter has a toothache and booked an appointment for Friday at two with Doctor Amsel.
Tomas Reuter requested an appointment for a toothache; it was set for Friday at two.
The caller initially accepted Monday but switched to Friday because of work.
Caller works on Mondays
Caller first said Monday, then corrected to Friday.
Monday at ten was offered but the caller works that day.
Agent offered Monday at ten or Friday at two.
Caller chose the Friday slot over Monday.
Caller cannot come on Monday.
Appointment confirmed for Friday at 2 PM.
X-ray for sixty dollars declined
Caller declined an x-ray this time.
No x-ray at this appointment
The caller did not want the x-ray ($60).
Agent offered an x-ray as well for sixty dollars; caller refused.
An optional x-ray costs sixty dollars.
Caller opted out of the x-ray.
The caller turned down the x-ray.
Caller has no allergies.
Caller is not allergic to anything.
Caller himself has no allergies, but his daughter Lena is allergic to penicillin.
No known allergies for caller
daughter_lena_allergy: Caller's daughter Lena is allergic to penicillin
lena_penicillin_allergy: Daughter Lena is allergic to penicillin and comes in next month.
Lena has a penicillin allergy.
Lena, the caller's daughter, will come in next month.
daughter_visit: Caller's daughter Lena comes in next month
Agent will note Lena's penicillin allergy.
The practice is to note the daughter's allergy to penicillin before her appointment next month.
Noemi will record Lena's allergy.
Caller takes no medicine.
Caller takes none; his wife takes blood thinners.
wife_medication: Caller's wife takes blood thinners
The caller's wife is on blood thinners, the caller is not.
Caller does not take blood thinners.
Caller stopped smoking three years ago.
Caller quit smoking 3 years ago.
Former smoker, stopped three years ago.
smoking_history: Caller stopped three years ago
Caller no longer smokes (stopped three years ago).
smoking: stopped three years ago
smoker: no, stopped three years ago
caller_name: Caller is called Tomas Reuter
name: Tomas Reuter
Agent Noemi booked the appointment with Tomas Reuter.
Caller spoke with Noemi at Doctor Amsel's practice.
Next visit is on Friday at two with Doctor Amsel.
Caller comes on Friday for his toothache; nothing else is open.
health_issue: Caller has a toothache
work_schedule: Caller works on Monday
Caller's availability: not Monday, works then`,
	"workshop": `
Caller Petra Lindqvist needs new brakes for her bicycle and will bring it in on Thursday at nine.
Petra Lindqvist chose rim brakes at forty dollars over disc brakes at ninety.
Caller chose rim brakes because disc brakes cost too much.
Disc brakes cost ninety dollars, rim brakes forty.
Disc brakes are $90; rim brakes are $40.
Rim brakes: forty dollars
Disc brakes: ninety dollars (too expensive for the caller)
Agent quoted ninety dollars for disc brakes and forty for rim brakes.
Caller will bring the bicycle on Thursday at nine, not Tuesday.
Caller first agreed to Tuesday, then changed it to Thursday at nine.
Drop-off was moved from Tuesday to Thursday at nine.
Tuesday was corrected to Thursday.
Caller declined to rent a bicycle.
No rental needed: neighbour Oskar lends his bicycle.
Caller does not need a rental bicycle.
Neighbor Oskar lends her a bicycle meanwhile.
Caller turned down a rental, as her neighbor Oskar lends her his bicycle.
neighbor_oskar: Caller's neighbour Oskar lends her his bicycle
Caller will think about a new lamp.
The lamp is still undecided.
Caller has yet to decide about the lamp.
Follow up on whether the caller wants a new lamp.
lamp: Caller will think about whether to fit a new lamp
Caller is considering a new lamp.
Pedal Works will text the caller when the bicycle is ready.
Agent will send a text when it is ready.
The shop is to send a text message once the bicycle is ready.
Send a text when the bicycle is ready, as the caller's husband doesn't like to be called.
Caller's husband doesn't like to be called.
contact_preference: Caller asks for a text, because her husband doesn't like to be called
husband_preference: Caller's husband does not like to be called
caller_name: Petra Lindqvist
Gideon of Pedal Works took the call.
Agent Gideon will text Petra.
Spoke with Gideon.
Caller brings her bicycle on Thursday; the lamp is open.
brake_preference: rim brakes
appointment: Bring the bicycle on Thursday at nine
bicycle: Caller's bicycle needs new brakes`,
}

func TestAFairLineIsNoFault(t *testing.T) {
	for call, lines := range fair {
		for line := range strings.Lines(strings.TrimSpace(lines)) {
			line = strings.TrimSpace(line)
			written, remembers := able(), able()
			s := written.written[call]
			s.Facts = append([]string{line}, s.Facts...)
			written.written[call] = s
			key, value, named := strings.Cut(line, ": ")
			if !named || strings.Contains(key, " ") {
				key, value = "other", line
			}
			remembers.remembered[call] = append(remembers.remembered[call], fact(key, value))
			for kind, p := range map[string]*pupil{"write-up": written, "memories": remembers} {
				if v, err := exam.Hold(t.Context(), p); err != nil || !v.Passed {
					t.Errorf("%s: %s: got %v, %v; want it to pass", kind, line, v, err)
				}
			}
		}
	}
}
