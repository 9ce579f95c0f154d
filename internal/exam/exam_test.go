package exam_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/exam"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
)

// pupil is a model that answers as the test has it: by the call that it is asked of, and what for.
type pupil struct {
	written    map[string]recaller.Summary // by call
	remembered map[string][]llmtest.Entry
	instead    string // answered in place of either
	err        error
	asked      int
}

func (p *pupil) Ask(_ context.Context, q recaller.Ask) (recaller.Answer, error) {
	p.asked++
	call := "workshop"
	if strings.Contains(q.Text, "Amsel") {
		call = "dentist"
	}
	var raw []byte
	switch {
	case p.err != nil:
		return recaller.Answer{Cost: recaller.Cost{Calls: 1}}, p.err
	case p.instead != "":
		raw = []byte(p.instead)
	case strings.Contains(q.System, `"brief"`):
		s := p.written[call]
		raw, _ = json.Marshal(map[string]any{"brief": s.Brief, "topics": s.Topics, "decisions": s.Decisions, "actions": s.Actions, "facts": s.Facts, "next": s.Next})
	default:
		raw, _ = json.Marshal(map[string]any{"memories": p.remembered[call]})
	}
	return recaller.Answer{Text: string(raw), Cost: recaller.Cost{Calls: 1}}, nil
}

func fact(key, value string) llmtest.Entry {
	return llmtest.Entry{Type: "fact", Key: key, Value: value, Confidence: 0.9, Turns: []int{1}}
}

// able is a model that tells what is true, in the way of large ones.
func able() *pupil {
	return &pupil{
		written: map[string]recaller.Summary{
			"dentist": {
				Brief: "Tomas Reuter called about a toothache. After first taking Monday he chose Friday at two with Doctor " +
					"Amsel, because he works on Monday.",
				Topics:    []string{"Toothache", "Allergies"},
				Decisions: []string{"Appointment on Friday at two", "Caller declined the x-ray for sixty dollars"},
				Actions:   []string{"Noemi notes Lena's penicillin allergy for her visit next month"},
				Facts: []string{
					"Caller has no allergies; his daughter Lena is allergic to penicillin and comes in next month.",
					"Caller takes no medicine; his wife takes blood thinners.",
					"Caller stopped smoking three years ago.",
					"The practice offered Monday at ten or Friday at two.",
				},
				Next: "Caller comes on Friday at two. His daughter Lena has an appointment next month.",
			},
			"workshop": {
				Brief: "Petra Lindqvist wants new brakes for her bicycle and brings it on Thursday at nine.",
				Decisions: []string{
					"Rim brakes (forty dollars) rather than disc brakes (ninety dollars)",
					"Thursday at nine, not Tuesday",
					"No rental bicycle: her neighbour Oskar lends her his",
				},
				Actions: []string{"Pedal Works will send a text when the bicycle is ready", "Caller thinks about a new lamp"},
				Facts: []string{
					"Disc brakes: $90, rim brakes: $40",
					"Her husband doesn't like to be called",
					"Agent's name: Gideon",
				},
				Next: "The caller has not decided on the lamp.",
			},
		},
		remembered: map[string][]llmtest.Entry{
			"dentist": {
				fact("name", "Caller's name is Tomas Reuter"),
				fact("daughter_allergy", "penicillin"),
				fact("allergies", "no allergies"),
				fact("wife_medication", "Caller's wife takes blood thinners"),
				fact("smoking_status", "stopped three years ago"),
				fact("appointment", "Friday at two"),
			},
			"workshop": {
				fact("caller_name", "Petra Lindqvist"),
				fact("brakes", "Caller wants rim brakes; disc brakes cost too much"),
				fact("neighbor", "Neighbour Oskar lends the caller his bicycle"),
				fact("contact_preference", "Send a text; the caller's husband doesn't like to be called"),
				fact("drop_off", "Thursday at nine"),
			},
		},
	}
}

func TestAModelThatTellsWhatIsTruePasses(t *testing.T) {
	p := able()
	v, err := exam.Hold(t.Context(), p)
	if err != nil || !v.Passed || v.Fault != "" || p.asked != 4 || v.Cost.Calls != 4 {
		t.Errorf("got %+v, %v after %d questions; want it passed after four", v, err, p.asked)
	}
}

// Each is one line more in an answer that is true otherwise.
func TestOneFalseStatementIsEnough(t *testing.T) {
	for line, fault := range map[string]string{
		"dentist: Tomas Reuter is allergic to penicillin":                   "allergy",
		"dentist: Allergy: penicillin":                                      "allergy",
		"dentist: Caller is allergic to penicillin, as is his wife":         "allergy",
		"dentist: His wife has an allergy; Lena has none":                   "allergy",
		"dentist: Caller takes blood thinners":                              "medicine",
		"dentist: Appointment on Monday at ten":                             "taken back",
		"dentist: The appointment is on Thursday":                           "nobody named",
		"dentist: An x-ray will be made":                                    "only offered",
		"dentist: Pays 60 dollars":                                          "only offered",
		"dentist: Caller smokes":                                            "denied",
		"dentist: The caller Noemi has a toothache":                         "for the other",
		"dentist: Lena has a toothache":                                     "belong together",
		"dentist: Lena works on Monday":                                     "belong together",
		"dentist: He is not allergic to Lena; allergic to blood thinners":   "belong together",
		"dentist: Wants an appointment for his daughter on Friday":          "belong together",
		"dentist: I want to help with the toothache":                        "one of the two",
		"dentist: What day?":                                                "in place of telling",
		"workshop: Caller wants disc brakes":                                "only offered",
		"workshop: The brakes are ninety dollars":                           "only offered",
		"workshop: Rim brakes for ninety dollars, disc brakes for forty":    "belong together",
		"workshop: Caller rents a bicycle":                                  "only offered",
		"workshop: A new lamp is fitted":                                    "only offered",
		"workshop: Brings the bicycle on Tuesday":                           "taken back",
		"workshop: Bicycle is ready on Saturday":                            "nobody named",
		"workshop: The caller is Gideon":                                    "for the other",
		"workshop: Her husband Oskar lends his bicycle":                     "belong together",
		"workshop: Petra doesn't like to be called":                         "belong together",
		"workshop: The brakes have been replaced":                           "as done",
		"workshop: Agent said “I will think about the lamp”, and your name": "one of the two",
	} {
		call, said, _ := strings.Cut(line, ": ")
		written, remembers := able(), able()
		s := written.written[call]
		s.Facts = append([]string{"Nothing else"}, s.Facts...)
		s.Facts[0] = said
		written.written[call] = s
		remembers.remembered[call] = append(remembers.remembered[call], fact("other", said))
		for kind, p := range map[string]*pupil{"write-up": written, "memories": remembers} {
			v, err := exam.Hold(t.Context(), p)
			if err != nil || v.Passed || !strings.Contains(v.Fault, fault) {
				t.Errorf("%s: %s: got %+v, %v; want it to fail because it %q", kind, line, v, err, fault)
			}
		}
	}
}

func TestAnAnswerThatCannotBeReadIsAFailure(t *testing.T) {
	for answer, fault := range map[string]string{
		"Sorry, I cannot do that.": "could be read",
		"{}":                       "could be read",
		`{"brief":"A call about a parcel.","topics":[],"decisions":[],"actions":[],"facts":[],"next":""}`: "what it was about",
	} {
		if v, err := exam.Hold(t.Context(), &pupil{instead: answer}); err != nil || v.Passed || !strings.Contains(v.Fault, fault) {
			t.Errorf("%s: got %+v, %v; want it to fail because it %q", answer, v, err, fault)
		}
	}
	silent := able()
	silent.remembered = nil
	if v, err := exam.Hold(t.Context(), silent); err != nil || v.Passed || v.Fault != "told nothing" {
		t.Errorf("got %+v, %v of a model that remembers nothing, want it to fail", v, err)
	}
	if v, err := exam.Hold(t.Context(), &pupil{err: recaller.Errorf(recaller.Invalid, "refused")}); err != nil || v.Passed {
		t.Errorf("got %+v, %v of a model that refuses, want it to fail", v, err)
	}
}

// The model is away during its first examination, passes the second, and is not asked again.
func TestAModelThatIsAwayIsExaminedLaterAndOnlyOnce(t *testing.T) {
	r, p := exam.NewRecord(""), able()
	p.err = recaller.Errorf(recaller.Unavailable, "away")
	trusted, told, cost, err := r.Trusted(t.Context(), p)
	if trusted || told != nil || recaller.KindOf(err) != recaller.Unavailable || cost.Calls != 1 {
		t.Errorf("got %t, %v, %+v, %v of a model that is away; want no verdict, and the cost", trusted, told, cost, err)
	}
	p.err = nil
	if trusted, told, cost, err = r.Trusted(t.Context(), p); !trusted || told == nil || !told.Passed || cost.Calls != 4 || err != nil {
		t.Errorf("got %t, %v, %+v, %v; want it examined and passed", trusted, told, cost, err)
	}
	if trusted, told, cost, _ = r.Trusted(t.Context(), p); !trusted || told != nil || cost.Calls != 0 || p.asked != 5 {
		t.Errorf("got %t, %v, %+v after %d questions; want what is known", trusted, told, cost, p.asked)
	}
}

func TestWhoKnowsBetterHasNoExamination(t *testing.T) {
	for trust, want := range map[exam.Trust]bool{exam.Own: true, exam.Quoted: false} {
		p := &pupil{}
		if got, _, _, err := exam.NewRecord(trust).Trusted(t.Context(), p); got != want || p.asked != 0 || err != nil {
			t.Errorf("%s: got %t, %v after %d questions; want %t after none", trust, got, err, p.asked, want)
		}
	}
}
