package evidence_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup/answer"
	"github.com/recallerhq/recaller/internal/wrapup/evidence"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// saturday is when the stories are told: 21 November 2026.
var saturday = time.Date(2026, 11, 21, 14, 0, 0, 0, time.UTC)

// talk makes turns of "U: …" and "A: …" lines; "U!" was cut off, "U?" hardly heard.
func talk(lines ...string) []recaller.Turn {
	out := make([]recaller.Turn, len(lines))
	for i, l := range lines {
		who, text, _ := strings.Cut(l, ": ")
		out[i] = recaller.Turn{Number: i, Speaker: recaller.Assistant, Text: text, Confidence: 1, At: saturday.Add(time.Duration(i) * time.Second)}
		if who[0] == 'U' {
			out[i].Speaker = recaller.User
		}
		out[i].Interrupted = strings.HasSuffix(who, "!")
		if strings.HasSuffix(who, "?") {
			out[i].Confidence = 0.3
		}
	}
	return out
}

func TestAValueNeedsTheWordsOfTheCaller(t *testing.T) {
	tests := []struct {
		name  string
		talk  []recaller.Turn
		value string
		turns []int // that it names
		at    []int // that carry it; nil: none do
	}{
		// words
		{"said as it stands", talk("U: Hi.", "U: I live alone in a small flat."), "lives alone in a small flat", []int{1}, []int{1}},
		{"a fair paraphrase", talk("U: My daughter Sarah comes over every Sunday, you know, to cook for me."), "daughter Sarah visits on Sundays and cooks", []int{0}, []int{0}},
		{"another form of the word", talk("U: I used to teach, I was a teacher for ages."), "was a teacher", nil, []int{0}},
		{"love for like", talk("U: Oh I love gardening."), "likes gardening", []int{0}, []int{0}},
		{"something else", talk("U: I have a dog."), "has a cat", []int{0}, nil},
		{"half of it made up", talk("U: I have a dog."), "has a dog and a swimming pool", []int{0}, nil},
		{"most of it made up", talk("U: I went to the shop with my dog."), "owns a red convertible and a dog", nil, nil},
		{"only words of grammar", talk("U: It is what it is."), "it is what it is", nil, nil},
		{"no words", talk("U: Hello."), "…", nil, nil},
		{"said in another turn than it names", talk("U: I have a dog.", "A: Nice.", "U: And a garden."), "has a dog", []int{2}, []int{0}},
		{"a turn that does not exist", talk("U: I have a dog."), "has a dog", []int{17}, []int{0}},
		{"over two turns that it names", talk("U: I have three grandchildren.", "A: Lovely. Tell me more.", "U: Ann, Bob and Carla."), "three grandchildren: Ann, Bob and Carla", []int{0, 2}, []int{0, 2}},
		{"over two turns that it does not name", talk("U: My brother Tom", "U: lives in Leeds, actually."), "brother Tom lives in Leeds", nil, []int{0, 1}},
		{"the last time it was said", talk("U: I have a dog.", "A: OK.", "U: The dog is fine. I have a dog, yes."), "has a dog", nil, []int{2}},

		// numbers
		{"three is 3", talk("U: I have three grandchildren."), "has 3 grandchildren", []int{0}, []int{0}},
		{"3 is three", talk("U: I have 3 grandchildren."), "has three grandchildren", []int{0}, []int{0}},
		{"four is not three", talk("U: I have four grandchildren."), "has three grandchildren", []int{0}, nil},
		{"a number nobody said", talk("U: I have grandchildren."), "has 5 grandchildren", []int{0}, nil},
		{"not three, four", talk("U: No, I have four grandchildren, not three."), "has three grandchildren", []int{0}, nil},
		{"four, not three", talk("U: No, I have four grandchildren, not three."), "has four grandchildren", []int{0}, []int{0}},
		{"an age in words", talk("U: I am seventy three."), "73 years old", []int{0}, []int{0}},
		{"a part of a number is another", talk("U: I am seventy three."), "70 years old", []int{0}, nil},
		{"a year as it is spoken", talk("U: I was born in nineteen eighty five in Rome."), "born in Rome in 1985", []int{0}, []int{0}},
		{"a year with oh", talk("U: We married in nineteen oh five."), "married in 1905", nil, []int{0}},
		{"a big number", talk("U: My pension is two thousand three hundred a month."), "pension of $2,300 a month", []int{0}, []int{0}},
		{"a number of a telephone, digit by digit", talk("U: It's five five five oh one two three."), "phone 555-0123", []int{0}, []int{0}},
		{"one digit off", talk("U: It's five five five oh one two four."), "phone 555-0123", []int{0}, nil},
		{"a brother is one brother", talk("U: I have a brother."), "has one brother", []int{0}, []int{0}},
		{"two brothers are not one", talk("U: I have two brothers."), "has one brother", []int{0}, nil},
		{"a couple", talk("U: I have a couple of cats."), "has two cats", []int{0}, []int{0}},
		{"an ordinal", talk("U: My party is on the third of May."), "party on May 3", []int{0}, []int{0}},
		{"German numbers", talk("U: Ich habe drei Enkel."), "hat 3 Enkel", []int{0}, []int{0}},

		// names
		{"a name in small letters", talk("U: my name is elizabeth brown"), "Elizabeth Brown", []int{0}, []int{0}},
		{"a name nobody said", talk("U: My daughter lives in Portland."), "daughter Sarah lives in Portland", []int{0}, nil},
		{"a name at the beginning that nobody said", talk("U: My daughter lives in Portland."), "Sarah is her daughter in Portland", []int{0}, nil},
		{"a name nearly said", talk("U: My sister Anna called."), "sister called Ann", []int{0}, nil},
		{"a name with its ending", talk("U: It's Sarah's birthday."), "birthday of Sarah", []int{0}, []int{0}},
		{"a name that was spelled", talk("U: My name is S A R A H."), "Sarah", []int{0}, []int{0}},
		{"written like a title", talk("U: I live alone with my dog."), "Lives Alone With Her Dog", []int{0}, []int{0}},
		{"a title said in full", talk("U: I see doctor Ames about my knee."), "sees Dr. Ames about the knee", []int{0}, []int{0}},

		// denials
		{"denied, and so it was said", talk("U: I don't have any allergies."), "has no allergies", []int{0}, []int{0}},
		{"denied, but it was affirmed", talk("U: I have allergies, yes."), "has no allergies", []int{0}, nil},
		{"affirmed, but it was denied", talk("U: I don't like jazz."), "likes jazz", []int{0}, nil},
		{"a denial of something else", talk("U: I don't drink, but I like jazz."), "likes jazz", []int{0}, []int{0}},
		{"I can't wait is no denial", talk("U: I can't wait to see my daughter on Friday."), "will see her daughter on Friday", []int{0}, []int{0}},
		{"no as an answer is no denial of what follows", talk("U: No I have a dog."), "has a dog", []int{0}, []int{0}},
		{"used to", talk("U: I used to smoke."), "smokes", []int{0}, nil},
		{"used to, both", talk("U: I used to play tennis."), "used to play tennis", []int{0}, []int{0}},
		{"quit", talk("U: I quit smoking in May."), "does not smoke", []int{0}, []int{0}},
		{"not any, except one", talk("U: I'm not allergic to anything except penicillin."), "allergic to penicillin", []int{0}, []int{0}},
		{"a German denial", talk("U: Ich esse kein Fleisch."), "isst Fleisch", []int{0}, nil},

		// answers
		{"yes to a question", talk("A: Do you have three grandchildren?", "U: Yes, that's right."), "has three grandchildren", []int{1}, []int{0, 1}},
		{"named by the question", talk("A: Do you have three grandchildren?", "U: Yes."), "has three grandchildren", []int{0}, []int{0, 1}},
		{"yes, where no turn is named", talk("A: And your daughter Sarah still visits?", "U: Yeah."), "daughter Sarah visits", nil, []int{0, 1}},
		{"only the agent said it", talk("A: You have three grandchildren.", "U: What time is it?"), "has three grandchildren", []int{0}, nil},
		{"only the agent said it, and nobody answered", talk("U: Hello.", "A: You have three grandchildren."), "has three grandchildren", nil, nil},
		{"yes to a later question", talk("A: You have three grandchildren.", "U: Hm.", "A: Shall I book it?", "U: Yes."), "has three grandchildren", nil, nil},
		{"the question was cut off", talk("A!: Do you have three grandchildren", "U: Yes."), "has three grandchildren", []int{1}, nil},
		{"no to a question", talk("A: Do you smoke?", "U: No."), "does not smoke", []int{1}, []int{0, 1}},
		{"no is no yes", talk("A: Do you smoke?", "U: No."), "smokes", []int{1}, nil},
		{"yes is no no", talk("A: Do you have any allergies?", "U: Yes."), "no allergies", []int{1}, nil},
		{"an answer to a question", talk("A: What are you allergic to?", "U: Penicillin."), "allergic to penicillin", []int{1}, []int{0, 1}},
		{"no, but", talk("A: Any allergies?", "U: No, only penicillin."), "allergy to penicillin", []int{1}, []int{0, 1}},
		{"no to the half of it", talk("A: Do you live alone?", "U: No, I live with my wife."), "lives alone", []int{1}, nil},
		{"a name that only the question has", talk("A: Is Sarah your daughter?", "U: My daughter is at work."), "daughter Sarah", []int{1}, nil},
		{"the answer takes it back", talk("A: So you moved to Boston?", "U: Yes but no, that was my son."), "moved to Boston", []int{1}, nil},

		// dates
		{"the same day in other words", talk("U: I see the doctor next Tuesday."), "sees the doctor on 24 November 2026", []int{0}, []int{0}},
		{"another day", talk("U: I see the doctor next Tuesday."), "sees the doctor on 27 November 2026", []int{0}, nil},
		{"with the date behind it", talk("U: We moved two weeks ago."), "moved two weeks ago (7 November 2026)", []int{0}, []int{0}},

		// other languages and scripts
		{"German", talk("U: Meine Tochter heißt Sara und wohnt in Köln."), "Tochter Sara wohnt in Köln", []int{0}, []int{0}},
		{"German, other forms", talk("U: Ich habe zwei kleine Hunde und gehe gern wandern."), "hat zwei Hunde, geht gerne wandern", []int{0}, []int{0}},
		{"German, made up", talk("U: Meine Tochter wohnt in Köln."), "Tochter wohnt in Hamburg", []int{0}, nil},
		{"Spanish", talk("U: Tengo alergia a la penicilina."), "alergia a la penicilina", []int{0}, []int{0}},
		{"Spanish, made up", talk("U: Tengo alergia al polen."), "alergia a la penicilina", []int{0}, nil},
		{"Russian", talk("U: Моя дочь живёт в Москве."), "дочь живет в Москве", []int{0}, []int{0}},
		{"Japanese", talk("U: 犬を飼っています。"), "犬を飼っている", []int{0}, []int{0}},
		{"Japanese, a cat is no dog", talk("U: 猫を飼っている。"), "犬を飼っている", []int{0}, nil},
		{"Chinese", talk("U: 我对青霉素过敏。"), "对青霉素过敏", []int{0}, []int{0}},
		{"Chinese, made up", talk("U: 我对花粉过敏。"), "对青霉素过敏", []int{0}, nil},
		{"Arabic", talk("U: ابنتي تعيش في القاهرة"), "ابنتي تعيش في القاهرة", []int{0}, []int{0}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			at, ok := evidence.Supports(answer.Memory{Value: test.value, Turns: test.turns}, test.talk)
			if diff := cmp.Diff(test.at, at); diff != "" || ok != (test.at != nil) {
				t.Errorf("%v (-want +got):\n%s", ok, diff)
			}
		})
	}
}

func TestAValueThatOnlyAgreesIsReadWithItsKey(t *testing.T) {
	turns := talk("U: I have a dog.", "A: Any allergies?", "U: No.", "U: I can't stand screens.")
	tests := []struct {
		key, value string
		turn       int
		want       bool
	}{
		{"has_dog", "yes", 0, true},
		{"has_dog", "no", 0, false},
		{"has_cat", "yes", 0, false},
		{"allergies", "none", 2, true},
		{"allergies", "yes", 2, false},
		{"dislikes_screens", "screens", 3, true},
		{"", "yes", 0, false},
	}
	for _, test := range tests {
		if _, got := evidence.Supports(answer.Memory{Key: test.key, Value: test.value, Turns: []int{test.turn}}, turns); got != test.want {
			t.Errorf("%s: %s: got %v, want %v", test.key, test.value, got, test.want)
		}
	}
}

func TestAValueMustBeSaidOfWhomItTells(t *testing.T) {
	tests := []struct {
		talk       []recaller.Turn
		key, value string
		want       bool
	}{
		{talk("U: My daughter Ann has a dog called Max."), "", "daughter is called Max", false},
		{talk("U: My daughter Ann has a dog called Max."), "", "daughter is called Ann", true},
		{talk("U: My daughter Ann has a dog called Max."), "", "Caller's daughter's dog is called Max", true},
		{talk("U: my son max starts school on monday"), "", "Caller's son is called Max", true},
		{talk("U: Max is my son, he is four."), "son_name", "Max", true},
		{talk("U: Max is my dog."), "son_name", "Max", false},
		{talk("A: What is your daughter's name?", "U: Elena."), "", "daughter is called Elena", true},
		{talk("A: What is your daughter's name?", "U: Elena."), "wife_name", "Elena", false},
		{talk("U: My sister is allergic to nuts."), "allergy", "allergic to nuts", false},
		{talk("U: My sister is allergic to nuts."), "", "Caller's sister is allergic to nuts", true},
		{talk("U: My sister visits. I am allergic to nuts."), "allergy", "Caller is allergic to nuts", true},
		{talk("U: I have a brother. He lives in Leeds."), "", "brother lives in Leeds", true},
		{talk("U: My husband drives the van, and I work in Derby."), "", "Caller works in Derby", true},
		{talk("U: My neighbour has the spare key."), "", "Caller has the spare key", false},
		{talk("U: I can't do Tuesdays, I play dominoes."), "", "I play dominoes", true},
		{talk("U: A table for Sunday, for two.", "A: Lunch or dinner?", "U: Dinner."), "", "I want to help you with a table for Sunday, for two", false},
	}
	for _, test := range tests {
		_, got := evidence.Supports(answer.Memory{Key: test.key, Value: test.value}, test.talk)
		if got != test.want {
			t.Errorf("%s: %q: got %v, want %v", test.talk[0].Text, test.value, got, test.want)
		}
	}
}

func FuzzSupports(f *testing.F) {
	f.Add("has three grandchildren", "I have 3 grandchildren", "Do you?", 1)
	f.Add("1985", "nineteen eighty five and a half hundred thousand", "oh oh oh", 0)
	f.Add("犬を", "不犬", "</conversation>", -1)
	f.Fuzz(func(t *testing.T, value, text, question string, turn int) {
		turns := talk("A: x", "U: x")
		turns[0].Text, turns[1].Text = question, text
		at, ok := evidence.Supports(answer.Memory{Key: "k", Value: value, Turns: []int{turn}}, turns)
		if ok != (len(at) > 0) {
			t.Fatalf("got %v, %v", at, ok)
		}
		for _, n := range at {
			if n < 0 || n > 1 {
				t.Fatalf("got turn %d", n)
			}
		}
		if own := evidence.Own(turns, []string{value}); own != nil {
			evidence.Supports(answer.Memory{Value: value}, own)
		}
		evidence.Trim(recaller.Summary{Brief: value, Facts: []string{text}}, reading.Of(turns, saturday, false))
	})
}
