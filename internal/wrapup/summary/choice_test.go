package summary_test

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/wrapup/summary"
)

// The brief tells what the caller opened with, however rare the words of what he says later.
func TestTheBriefTellsWithWhatTheCallerOpened(t *testing.T) {
	for _, tt := range []struct{ name, talk, want, not string }{
		{"what comes later is no request for being rare", `a: Beacon Allotments.
			c: Hollis here. That water butt on Saturday. Leave it out. My knees have retired before me.
			a: Shall we tell the delivery man?
			c: That lad couldn't read a tombola ticket under a lighthouse, he'll find out.
			a: I've taken Saturday off the list.`, "That water butt on Saturday", "tombola"},
		{"a few words that ask", `a: Wheelwrights workshop.
			c: red tandem is she ready
			a: not yet the axle is bent
			c: crikey i've got the charity ride and the mother in law on the back seat
			a: friday at noon then`, "is she ready", ""},
		{"praise is heard out, and the matter comes behind it", `a: Lark Removals, good evening.
			c: Una Prothero. Your lads were splendid, they got my late aunt's harmonium round the spiral stairs.
			a: Glad to hear it.
			c: Yes, well. A hinge is snapped off the wardrobe.
			a: The claims desk can ring you on Monday at three.`, "A hinge is snapped off the wardrobe", ""},
		{"what the agent asks behind old business is the matter of today", `a: Card line, good morning, Mr Ebner.
			c: The supervisor rang as promised, and the sixty pounds came back on the first of October. I was astonished.
			a: I'm glad. What else can I do?
			c: I've moved. Nine Quarry Lane, Thornby.
			a: Nine Quarry Lane.`, "I've moved. Nine Quarry Lane, Thornby.", ""},
		{"somebody else's wish is none", `a: Hallam Funerals.
			c: My grandmother died on Sunday night at the hospice. Your drivers came for her at six.
			a: I'm sorry. Shall we talk about a day?
			c: My uncle wants it before the weekend, he has a ferry to Oslo.
			a: The chapel has Friday at two.`, "My grandmother died on Sunday night", "My uncle wants"},
		{"a sentence is not told by half", `a: Surgery reception.
			c: I'd like to thank the practice manager for her telephone call of the fifth of October about my referral letter, and I would, only that she never rang.
			a: I'm very sorry.`, "only that she never rang", ""},
		{"when somebody was born is no matter", `a: Harbour Optics. Your full name and date of birth?
			c: Yes, sure. Wendel Oakes, and I'm thirty-four.
			c: So, I was born in nineteen ninety-two, the eleventh of March.
			a: Thank you. Tell me what the problem is.
			c: A lens fell out of my glasses on the ferry.`, "A lens fell out", "born in"},
		{"how one is, and who, is no matter", `a: Can you hear me?
			c: Yes, I can. Can you hear me?
			a: I can. I'm Dr Lund. How are you?
			c: Hello, I'm Tessa. I'm doing okay, I guess.
			a: And your surname?
			c: Brand.
			a: So, you've mentioned that your ears ring. Tell me more about it.
			c: It began after the concert, they ring all night.`, "they ring all night", "I'm Tessa"},
		{"an answer that cannot be read alone stands with its question", `a: Kiln hire. How was the last firing?
			c: It was splendid, not one glaze ran on the soup tureens.
			a: Shall I book you the kiln on Friday at nine?
			c: Yes, Friday.`, "Agent: “How was the last firing?” Caller: “It was splendid", ""},
		{"a few words of a promise stand with what they are of", `a: Herb nursery.
			c: My saffron bulbs never arrived.
			a: We send replacement bulbs to Elm Farm. Friday at the latest.
			c: Thanks.`, "We send replacement bulbs to Elm Farm. Friday [16 October 2026] at the latest", ""},
		{"who it is asks nothing of the matter", `a: Glass works. Am I speaking with Odo?
			c: Yes. My order of lantern panes came cracked.
			a: I'll send new ones on Friday.`, "lantern panes came cracked", "speaking with"},
		{"a question is told with its answer", `a: Timber yard.
			c: I need forty lengths of the decking, and what is the rate today?
			a: Good morning, sir. Decking is twelve pounds a length.
			c: Twelve, then.
			a: We deliver on Friday at nine.`, "what is the rate today [Wednesday 14 October 2026]?” Agent: “Decking is twelve pounds a length.”", "Good morning"},
	} {
		turns := talk(tt.talk)
		got := summary.Write(read(turns), summary.Options{})
		found(t, got, turns)
		if !strings.Contains(got.Brief, tt.want) || tt.not != "" && strings.Contains(got.Brief, tt.not) {
			t.Errorf("%s: the brief is %q, want %q in it and not %q", tt.name, got.Brief, tt.want, tt.not)
		}
	}
}

// Only what was taken is a decision: not what was refused, what is still open, what something costs, nor what is over.
func TestOnlyWhatWasTakenIsADecision(t *testing.T) {
	s := summary.Write(read(talk(`a: Corbett Chimney Sweeps.
		c: My chimney smokes and I have a christening on Sunday the first of November.
		a: Desmond could come on Tuesday at noon.
		c: I can't do Tuesday, I'm at the dentist.
		a: Or I have Wednesday the twenty-eighth at nine.
		c: I'd have to ask my wife about that one.
		a: Then shall we say Thursday the fifteenth at eight?
		c: Yes, Thursday at eight is fine. What does it cost?
		a: It's fifty-five pounds until the end of November.
		c: Fifty-five! Heavens.
		a: Desmond swept yours last on the third of March.`)), summary.Options{})
	decided := strings.Join(append(s.Decisions, s.Brief), "\n")
	for _, not := range []string{"Desmond could come", "Or I have Wednesday", "fifty-five", "swept yours last"} {
		if strings.Contains(strings.Join(s.Decisions, "\n"), not) {
			t.Errorf("%q is among the decisions: %q", not, s.Decisions)
		}
	}
	if want := "shall we say Thursday the fifteenth at eight [15 October 2026]?” Caller: “Yes"; !strings.Contains(decided, want) {
		t.Errorf("the decisions %q do not say %q", decided, want)
	}
}

func TestLinesStandByThemselves(t *testing.T) {
	for _, tt := range []struct{ name, talk, not string }{
		{"a number that is only said again is no line", `a: Farrier's office.
			c: My mare threw a shoe on the gallops this morning.
			a: I can send Ines at two, she charges ninety.
			c: Ninety! Strewth.
			a: She brings her own forge, and two o'clock is yours.`, "\nCaller: “Ninety"},
		{"who answers the phone asks nothing", `a: Foxley Kennels, boarding line.
			c: Marchbanks. My setter needs a bed from Friday to Monday.
			a: Friday at nine is fine.`, "boarding line"},
		{"an answer stands with the sentence that it takes up", `a: Ilse charges twelve hundred. She's free from nine to two on the nineteenth.
			c: Hello, I need a photographer for a christening.
			a: Ilse charges twelve hundred. She's free from nine to two on the nineteenth.
			c: Twelve hundred, the church itself is cheaper.`, "nineteenth [Monday 19 October 2026].” Caller: “Twelve hundred"},
		{"what somebody says in full needs no question", `a: Riding school.
			c: I'd like a trial lesson for a beginner.
			a: Do you have any back trouble or injuries that we should know of?
			c: Yes, I take tablets for my thyroid.
			a: Friday at ten is free.`, "Agent: “Do you have any back trouble"},
		{"nobody can tell is no answer", `a: Boat yard.
			c: My outboard motor smokes and the propeller is bent.
			a: Is the gearbox oil milky, or is the shear pin broken?
			c: I think so.
			a: Bring her on Friday at ten.`, "gearbox oil milky"},
		{"what is only read back", `a: Locksmith.
			c: The key broke off in my cellar door, come round the back.
			a: Round the back.
			c: And mind the geese.`, "Agent: “Round the back"},
		{"an answer to the price is none to the day", `a: Vet line.
			c: My mare limps on the left fore.
			a: Wednesday the twenty-first at ten, then. Bring the passport. It's twenty-five thousand naira.
			c: Twenty-five! Ah-ah.`, "then.” Caller: “Twenty-five"},
		{"what the agent only takes up", `a: Vet line.
			c: My mare went lame two weeks ago, on the left fore.
			a: Two weeks ago, okay, all right.
			c: She's off her hay too.`, "Agent: “Two weeks ago"},
		{"what breaks off", `a: Vet line.
			c: My mare limps on the left fore.
			a: I see.
			c: And sometimes in the evening her hock it's quite
			a: I see.`, "quite"},
		{"a name, which the record has", `a: Vet line. Who is it?
			c: My name is Alma Thorne.
			a: How can I help, Mrs Thorne?
			c: My mare limps on the left fore.`, "My name is"},
		{"a name with a greeting", `a: Vet line.
			c: Hi, this is Alma Thorne. My mare limps on the left fore. This is outrageous, nobody came.
			a: Oh dear.`, "Alma Thorne"},
		{"half of a warning", `a: Stove helpline.
			c: My stove smells of gas since Sunday.
			a: I'll send an engineer. If you smell it again or hear the valve hissing
			c: I will, thank you.`, "If you smell it again"},
	} {
		turns := talk(tt.talk)
		s := summary.Write(read(turns), summary.Options{})
		found(t, s, turns)
		if got := text(s); strings.Contains(got, tt.not) {
			t.Errorf("%s: the summary says %q:\n%s", tt.name, tt.not, got)
		}
	}
}

// What a caller has and takes, and a name that is known by its letters, is told before what he was asked for and
// denied.
func TestWhatTheCallerHasIsToldFirst(t *testing.T) {
	s := summary.Write(read(talk(`a: How can I help?
		c: My ankle hurts since the hockey match.
		a: Any fever or night sweats lately?
		c: No.
		a: Any trouble with your bladder or your bowels?
		c: No, nothing.
		a: Anything else I should know about?
		c: Well, I just had ITP in the past. I have no idea about the rest. I have to shower each day. And I've been on warfarin for a year.
		a: Any rashes on your arms or your legs?
		c: No.`)), summary.Options{MaxWords: 44})
	for _, want := range []string{"I just had ITP in the past", "warfarin"} {
		if !strings.Contains(text(s), want) {
			t.Errorf("the summary does not say %q:\n%s", want, text(s))
		}
	}
}

// What the other side takes back, or chooses, is quoted with what it takes back; what is said of something else is not.
func TestNothingIsPartedFromWhatCorrectsIt(t *testing.T) {
	for _, tt := range []struct{ name, talk, want, not string }{
		{"a name that was misheard", `a: Harbour Sailmakers. Who's calling?
			c: I need a mainsail cut before the regatta, the third batten tore right through. Kowalski, berth nine.
			a: Kowalsky, berth nine, mooring fees paid until 2027.
			c: KowalSKI. With an I.
			a: Got it. Monday at ten, then.
			c: Monday at ten.`, "until 2027.” Caller: “KowalSKI.", ""},
		{"a side that is corrected", `a: Oakfell Tree Surgeons.
			c: A branch is down on the greenhouse, the beech did it.
			a: Which side of the greenhouse is smashed?
			c: Left pane. Hang on. I'm behind it. Right pane. There's glass in the tomatoes.
			a: We'll come on Monday at eight.
			c: Monday at eight.`, "Left pane. Hang on. I'm behind it. Right pane.", "I'm behind it.”"},
		{"a choice behind a sound", `a: Skyline Ferries.
			c: Two for the island and a bicycle.
			a: I have cabin four twelve, or cabin six thirty.
			c: Uh. Four twelve. In the other my husband would be sick.
			a: Four twelve it is.`, "or cabin six thirty.” Caller: “Four twelve.", ""},
		{"what goes with another sentence", `a: Weir Lane Allotments.
			c: Calling about the plot inspection on Thursday the fifteenth of October.
			a: The inspection on Thursday the fifteenth is called off.
			c: Thanks. And nobody has brought my ladder back. I asked on Monday.
			a: I'll see to it.`, "", "Thanks. … I asked"},
	} {
		turns := talk(tt.talk)
		got := summary.Write(read(turns), summary.Options{})
		found(t, got, turns)
		all := text(got) + "\n"
		if !strings.Contains(all, tt.want) || tt.not != "" && strings.Contains(all, tt.not) {
			t.Errorf("%s: got %s\nwant %q in it and not %q", tt.name, all, tt.want, tt.not)
		}
	}
}
