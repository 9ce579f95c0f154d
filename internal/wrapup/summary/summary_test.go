package summary_test

import (
	"bufio"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup/summary"
)

var update = flag.Bool("update", false, "write the golden files anew")

// script reads a call of ours from testdata: "speaker: text" lines.
func script(t *testing.T, name string) []recaller.Turn {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []recaller.Turn
	for sc := bufio.NewScanner(f); sc.Scan(); {
		who, text, _ := strings.Cut(sc.Text(), ": ")
		out = append(out, recaller.Turn{Number: len(out), Speaker: recaller.Speaker(who), Text: text, Confidence: 1})
	}
	return out
}

// document is a summary as the golden files show it.
func document(s recaller.Summary) string {
	var b strings.Builder
	section := func(name string, lines ...string) {
		if text := strings.Join(lines, "\n- "); text != "" {
			b.WriteString(name + "\n- " + text + "\n\n")
		}
	}
	section("Brief", s.Brief)
	section("Topics", s.Topics...)
	section("Decisions", s.Decisions...)
	section("Actions", s.Actions...)
	section("Facts", s.Facts...)
	section("Next", s.Next)
	return b.String()
}

func TestDocumentsOfOurOwnCalls(t *testing.T) {
	for _, name := range []string{"card", "plumbing", "golf", "companion"} {
		t.Run(name, func(t *testing.T) {
			turns := script(t, name)
			s := summary.Write(read(turns), summary.Options{})
			found(t, s, turns)
			path := filepath.Join("testdata", name+".golden")
			got := document(s)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s differs (-want +got); -update writes it anew:\n%s", path, diff)
			}
		})
	}
}

// talk makes turns of lines "c: …" and "a: …".
func talk(lines string) []recaller.Turn {
	var out []recaller.Turn
	for line := range strings.Lines(lines) {
		who, text, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			continue
		}
		speaker := recaller.User
		if who == "a" {
			speaker = recaller.Assistant
		}
		out = append(out, recaller.Turn{Number: len(out), Speaker: speaker, Text: text, Confidence: 1})
	}
	return out
}

var (
	quotations = regexp.MustCompile(`“([^”]+)”`)
	notes      = regexp.MustCompile(`\[[^\]]*\]`)
)

// plain is a text as far as words go.
func plain(s string) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ") + " "
}

// found fails where a quotation of a summary is not in a turn, or where a line says something outside of quotations.
func found(t *testing.T, s recaller.Summary, turns []recaller.Turn) {
	t.Helper()
	var said []string
	for _, turn := range turns {
		said = append(said, plain(turn.Text))
	}
	for _, line := range lines(s) {
		if rest := strings.TrimSpace(plain(quotations.ReplaceAllString(line, ""))); strings.Trim(rest, "calergnt ") != "" {
			t.Errorf("%q is said outside of quotations in %q", rest, line)
		}
		for _, m := range quotations.FindAllStringSubmatch(line, -1) {
			parts := strings.Split(notes.ReplaceAllString(m[1], " "), "…")
			if !slices.ContainsFunc(said, func(turn string) bool {
				return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(turn, strings.TrimRight(plain(p), " ")) })
			}) {
				t.Errorf("%q is in no turn", m[0])
			}
		}
	}
}

// lines are those of a summary that quote.
func lines(s recaller.Summary) []string {
	var out []string
	for _, l := range slices.Concat([]string{s.Brief}, s.Topics, s.Decisions, s.Actions, s.Facts, []string{s.Next}) {
		if l != "" && l != summary.Nothing && l != summary.Greetings {
			out = append(out, l)
		}
	}
	return out
}

func TestASummaryTellsWhatMatters(t *testing.T) {
	tests := []struct {
		name, talk string
		brief      []string // in the brief
		has        []string // anywhere
		not        []string
	}{
		{
			"the request, not the greeting nor the name",
			`a: Good morning, Harbour Kennels, this is Joan speaking. How can I help?
			 c: Hi there! My name is Peter Vance. I'm looking for a place for two spaniels over the long weekend.
			 a: Of course. From which day?
			 c: From Friday to Monday.
			 a: Both can come on Friday at nine. I'll book the double run.
			 c: Lovely, thanks. Bye!`,
			[]string{"looking for a place for two spaniels", "Both can come on Friday at nine [16 October 2026]"},
			nil,
			[]string{"Harbour Kennels", "Hi there"},
		},
		{
			"an offer with the answer to it",
			`a: How can I help?
			 c: I need somebody to tune my piano before the recital.
			 a: I could do Tuesday at noon.
			 c: No, Tuesday is no good, I teach.
			 a: Then Thursday at four?
			 c: Thursday is perfect.
			 a: Booked.`,
			nil,
			[]string{"Agent: “I could do Tuesday at noon [20 October 2026].” Caller: “No, Tuesday [20 October 2026] is no good, I teach.”", "Then Thursday at four [15 October 2026]?” Caller: “Thursday [15 October 2026] is perfect"},
			nil,
		},
		{
			"an answer stands with the offer that it answers, and no misreading by itself",
			`a: Harbour Opticians.
			 c: My left eye stings. Sorry, the right one. My doctor sees me on Tuesday.
			 a: Okay, your left eye. Has anybody looked at it?
			 c: No, the right! I need somebody before that.
			 a: Tuesday the twentieth, fine. Then come on Friday at ten.
			 c: Friday is perfect, I'm seventy-one and I walk.
			 a: At ten?
			 c: Ten.`,
			nil,
			[]string{"Then come on Friday at ten [16 October 2026].” Caller: “Friday [16 October 2026] is perfect"},
			[]string{"fine.” Caller: “Friday", "your left eye.”", "and I walk.” Caller: “Ten"},
		},
		{
			"what takes a word back stands with it",
			`a: Sunrise Dairy.
			 c: I want to change my delivery from four crates to, no wait, make it six crates. The gate code is two two, sorry, two three nine.
			 a: Six crates, two three nine.
			 c: Right.`,
			nil,
			[]string{"four crates to, no wait, make it six crates", "two two, sorry, two three nine"},
			nil,
		},
		{
			"an answer with its question, a denial with what it denies",
			`a: Alpine Rescue Insurance.
			 c: I want to insure my trip to the Dolomites, we are climbing there in spring.
			 a: Any heart problems?
			 c: No.
			 a: How many people?
			 c: Five.`,
			nil,
			[]string{"Agent: “Any heart problems?” Caller: “No.”", "Agent: “How many people?” Caller: “Five.”"},
			nil,
		},
		{
			"a rambler without capitals or punctuation",
			`a: valley glaziers how can i help
			 c: um hello yes well my husband always said we should have done it years ago but anyway the kitchen window it's cracked right across since the storm and the rain comes in and i've put a towel there
			 a: sorry to hear that can i take the address
			 c: it's nineteen mill street the one with the red door
			 a: i'll send dave tomorrow morning
			 c: that'll do nicely ta`,
			[]string{"the kitchen window it's cracked right across"},
			[]string{"nineteen mill street", "i'll send dave tomorrow morning [Thursday 15 October 2026]"},
			[]string{"how can i help"},
		},
		{
			"German",
			`a: Autohaus Lindner, guten Tag, was kann ich für Sie tun?
			 c: Guten Tag, Hofer mein Name. Ich möchte bitte meinen Wagen zur Inspektion bringen.
			 a: Gerne. Passt Ihnen der Dienstag um acht?
			 c: Nein, dienstags arbeite ich. Lieber Donnerstag.
			 a: Dann Donnerstag um acht Uhr, ich habe es eingetragen.
			 c: Wunderbar, tschüss!`,
			[]string{"Ich möchte bitte meinen Wagen zur Inspektion bringen", "Dann Donnerstag um acht Uhr"},
			[]string{"Passt Ihnen der Dienstag um acht [Tuesday 20 October 2026]?” Caller: “Nein, dienstags arbeite ich."},
			[]string{"guten Tag, was kann"},
		},
		{
			"Spanish",
			`a: Clínica Sol, buenos días, ¿en qué puedo ayudarle?
			 c: Buenos días. Quisiera cambiar mi cita del lunes, porque tengo que cuidar a mi madre.
			 a: ¿Le viene bien el miércoles a las diez?
			 c: El miércoles no puedo. ¿Puede ser el jueves?
			 a: El jueves a las nueve, queda apuntado.
			 c: Muchas gracias, hasta luego.`,
			[]string{"Quisiera cambiar mi cita del lunes", "El jueves a las nueve [Thursday 15 October 2026], queda apuntado"},
			[]string{"El miércoles [Wednesday 21 October 2026] no puedo"},
			nil,
		},
		{
			"Portuguese",
			`a: Oficina do Zé, bom dia.
			 c: Bom dia. Preciso de um orçamento para trocar os pneus da minha carrinha.
			 a: Pode trazer na sexta-feira às dez?
			 c: Na sexta não posso, só na segunda.
			 a: Então fica marcado para segunda às dez.`,
			[]string{"Preciso de um orçamento para trocar os pneus"},
			[]string{"fica marcado para segunda às dez"},
			nil,
		},
		{
			"Dutch",
			`a: Fietsenmaker De Boer, waarmee kan ik u helpen?
			 c: Goedemiddag, ik zou graag mijn fiets laten repareren, de ketting is gebroken.
			 a: Kunt u vrijdag langskomen?
			 c: Vrijdag is goed.
			 a: Dan staat u genoteerd voor vrijdag om twee uur.`,
			[]string{"ik zou graag mijn fiets laten repareren, de ketting is gebroken", "genoteerd voor vrijdag om twee uur"},
			nil, nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			turns := talk(tt.talk)
			s := summary.Write(read(turns), summary.Options{})
			found(t, s, turns)
			all := text(s)
			bare := regexp.MustCompile(` \[[^\]]*\]`)
			for _, want := range tt.brief {
				if !strings.Contains(s.Brief, want) && !strings.Contains(bare.ReplaceAllString(s.Brief, ""), want) {
					t.Errorf("the brief does not say %q:\n%s", want, s.Brief)
				}
			}
			for _, want := range tt.has {
				if !strings.Contains(all, want) && !strings.Contains(bare.ReplaceAllString(all, ""), want) {
					t.Errorf("the summary does not say %q:\n%s", want, all)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(all, not) {
					t.Errorf("the summary says %q:\n%s", not, all)
				}
			}
		})
	}
}

func TestNothingSaidIsSaidSo(t *testing.T) {
	for _, tt := range []struct{ talk, want string }{
		{"", summary.Nothing},
		{"c: [noise]\na: ", summary.Nothing},
		{"a: Hello, how can I help?\nc: Hi.", summary.Greetings},
		{"a: Hallo, was kann ich für Sie tun?\nc: Tschüss!", summary.Greetings},
	} {
		if got := summary.Write(read(talk(tt.talk)), summary.Options{}); got.Brief != tt.want || got.By != "rules" || text(got) != tt.want+"\n" {
			t.Errorf("%q: got %+v, want %q by rules and no more", tt.talk, got, tt.want)
		}
	}
}

func TestWordsCutOffOrHardlyHeardAreNotQuoted(t *testing.T) {
	call := talk(`a: How can I help?
		c: My boiler is broken and it is freezing in here.
		a: What is your address?
		c: It's 12 Oak Lane.
		c: My cousin Bernard owns forty sheep.
		a: I'll send you a gold medal.
		c: Thanks, bye.`)
	call[3].Confidence, call[4].Confidence = 0.3, 0.2
	call[5].Interrupted = true
	got := text(summary.Write(read(call), summary.Options{}))
	for _, no := range []string{"12 Oak Lane", "sheep", "gold medal"} {
		if strings.Contains(got, no) {
			t.Errorf("the summary tells %q, which was hardly heard or cut off:\n%s", no, got)
		}
	}
	if !strings.Contains(got, "boiler is broken") {
		t.Errorf("the summary leaves out what was heard:\n%s", got)
	}
}

func TestTheBriefTellsTheWishAndNotWhoIsCalling(t *testing.T) {
	for _, tt := range []struct{ name, talk, want, not string }{
		{"the line is tested and names are asked first", `a: Can you tell me your full name and your address?
			c: Can you hear me?
			c: It's Ada Moss, twelve Park Avenue, Leeds.
			a: What can I do for you today?
			c: My knee hurts when I climb the stairs.
			a: I'll book you in with the nurse on Monday.`, "My knee hurts", "Park Avenue"},
		{"what he cannot do stands beside who he is", `a: Front desk.
			c: it's paul again you've got me down for tuesday and i can't do it
			a: What is the matter with it?
			c: my sister's car is in the garage with a broken gearbox so she needs mine for the hospital
			a: Wednesday at nine then.`, "you've got me down for tuesday", ""},
		{"small talk comes first and the wish later", `a: Good evening, Otto.
			c: The neighbour's dog barked all through the night, poor thing.
			a: Oh dear.
			c: Could you ring me a bit before my grandson comes?
			a: I'll ring you on Friday at two.`, "Could you ring me", ""},
		{"who it is takes several turns, and the agent knows the matter", `a: Before we begin, can I check your full name and date of birth?
			c: I'm Walter Quince.
			c: October, the seventh.
			a: Hi.
			c: Sixty-one years old.
			a: It says here your hearing aid whistles. Is that correct?
			c: It does, it drives my wife up the wall.
			a: We'll have a look at the clinic.`, "your hearing aid whistles", "October"},
		{"what is wished for was named in the sentence before", `a: How can I help you?
			c: Hello. The zip on my grandfather's flying jacket has come apart. So I'd like somebody to look at it.
			a: Bring it in any day.`, "zip on my grandfather's flying jacket", ""},
	} {
		turns := talk(tt.talk)
		got := summary.Write(read(turns), summary.Options{})
		found(t, got, turns)
		if !strings.Contains(got.Brief, tt.want) || tt.not != "" && strings.Contains(got.Brief, tt.not) {
			t.Errorf("%s: the brief is %q, want %q in it and not %q", tt.name, got.Brief, tt.want, tt.not)
		}
	}
}

// A promise that says nothing by itself is not told without what it answers.
func TestAHollowPromiseDoesNotStandAlone(t *testing.T) {
	got := summary.Write(read(talk(`c: my shifts changed: nights monday to wednesday from next month
		a: Noted.
		c: my landlord is mr osei-tutu, he hates emails, call him
		a: Understood.
		c: remind me to renew the nmc registration by 31 march
		a: I'll remind you.`)), summary.Options{Typed: true, MaxWords: 60})
	if strings.Contains(got.Brief, "remind you") && !strings.Contains(got.Brief, "renew") {
		t.Errorf("got %q", got.Brief)
	}
}

// A question and an agreement share the sentence between them: it stands once.
func TestASentenceStandsOnce(t *testing.T) {
	turns := talk(`c: the flashing round the chimney leaks, noticed it sunday night after the storm
		a: I'm sorry. Is water inside?
		c: only in the loft, there's a bucket. can you send someone before the weekend
		a: We could do Thursday between 1 and 3, or Friday first thing.
		c: and the gutters, they quoted me 380 two weeks ago, does that still hold
		a: Quotes hold for 30 days.
		c: ok do both. i'm allergic to wasp stings btw and there's a nest by the skylight
		a: Noted.`)
	got := summary.Write(read(turns), summary.Options{Typed: true, MaxWords: 60})
	all := strings.Join(append([]string{got.Brief}, append(got.Decisions, got.Actions...)...), "\n")
	for line := range strings.Lines(all) {
		if strings.Count(line, "We could do Thursday") > 1 {
			t.Errorf("it stands twice: %s", line)
		}
	}
}

func TestSoundsAreNoAnswer(t *testing.T) {
	got := text(summary.Write(read(talk(`a: How can I help?
		c: I need a plumber for my leaking boiler.
		a: Which model is the boiler?
		c: Um, oh.
		a: I'll send somebody on Monday at nine.
		c: Uh.`)), summary.Options{}))
	if strings.Contains(got, "oh.") || strings.Contains(got, "Which model") {
		t.Errorf("a sound is told as an answer:\n%s", got)
	}
}

// What only takes up the question is quoted with the answer that follows it.
func TestAnEchoIsNoAnswer(t *testing.T) {
	got := text(summary.Write(read(talk(`a: Do you have any allergies at all?
		c: Ohh, allergies. Uh, no.
		a: I'll send the prescription to your pharmacy.
		c: Thank you.`)), summary.Options{}))
	if strings.Contains(got, "allergies.”") || strings.Contains(got, "allergies") && !strings.Contains(got, "no.”") {
		t.Errorf("the answer is cut off:\n%s", got)
	}
}

// Nothing is parted from what turns it, in its own turn or in the answer.
func TestWhatTurnsAStatementStandsWithIt(t *testing.T) {
	for _, tt := range []struct{ talk, said, turned string }{
		{`a: Can I help?
			c: I want flu shots for my father and me.
			a: I've got Wednesday the seventeenth at five thirty.
			c: Five thirty. No, you know what, I close the shop on Wednesdays. Is Thursday the same?
			a: Thursday the eighteenth at ten past six.
			c: Book that.`, "Five thirty.", "Five thirty. No, you know what, I close the shop on Wednesdays."},
		{`a: How are you feeling about the operation?
			c: I'm not frightened of the operation, you know. Well. A little bit.
			a: That is natural.`, "not frightened", "you know. Well. A little bit."},
		{`a: Would the adjuster find the truck at the house on Thursday?
			c: Thursday works. It's not at the house though, it's at my welding shop.
			a: I'll put the shop down.`, "Thursday works", "Thursday works. It's not at the house though, it's at my welding shop."},
		{`a: The doctor's number?
			c: It has changed, it's six one nine, five five five, oh one eight eight.
			a: six one nine five five five oh one eight nine
			c: eight eight
			a: Thanks.`, "eight nine", "“eight eight”"},
		{`a: What about the rent?
			c: Priti promised an answer about the rent, it's been three weeks with a hole in the ceiling.
			a: Mr Holroyd's said a hundred and twenty off.
			c: For looking at the neighbour's floorboards? I were thinking two hundred.
			a: I'll ask him again about the ceiling.`, "hundred and twenty off", "off.” Caller: “I were thinking two hundred."},
		{`a: Any fever or allergies to medicines?
			c: I have a fever. Sorry, I have hay fever.
			a: Antihistamines will do.`, "I have a fever", "I have a fever. Sorry, I have hay fever."},
	} {
		turns := talk(tt.talk)
		s := summary.Write(read(turns), summary.Options{})
		found(t, s, turns)
		if got := text(s); strings.Contains(got, tt.said) && !strings.Contains(got, tt.turned) {
			t.Errorf("%q is told without %q:\n%s", tt.said, tt.turned, got)
		}
	}
}

func TestWhereItBrokeOffIsTold(t *testing.T) {
	lost := talk(`a: Glenn's Garage.
		c: I need new winter tyres for my van before the frost comes.
		a: What size are they?
		c: Two oh five, hang on, the line is`)
	open := lost[:3]
	for _, tt := range []struct {
		name  string
		turns []recaller.Turn
		opts  summary.Options
		want  string
	}{
		{"a call that broke off", lost, summary.Options{Broken: true}, "Caller: “Two oh five, hang on, the line is”"},
		{"a question that nobody answered", open, summary.Options{}, "Agent: “What size are they?”"},
		{"a text exchange has no goodbye", open, summary.Options{Typed: true}, ""},
		{"a call that ended", append(slices.Clone(open), talk("c: Two oh five. I'll ring you back, ta-ra love.")...), summary.Options{}, ""},
	} {
		if got := summary.Write(read(tt.turns), tt.opts); got.Next != tt.want {
			t.Errorf("%s: got %q next, want %q", tt.name, got.Next, tt.want)
		}
	}
}
