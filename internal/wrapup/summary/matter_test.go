package summary_test

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/wrapup/summary"
)

func TestTheBriefIsTheMainMatter(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		typed bool
		want  string
	}{
		{"what is the matter, and what the agent makes of it", []string{
			"assistant: How can I help?", "user: Um, it hurts when I, when I swallow.", "assistant: I think you might have something called tonsillitis, which is common.", "user: Thank you, bye.",
		}, false, "Caller said it hurts when they swallow. Agent's view: tonsillitis."},
		{"a view is not what the agent only repeats", []string{
			"assistant: So you've mentioned in our notes that you're suffering from back pain.", "user: Yes, since Monday.", "assistant: It sounds like a pulled muscle.", "user: Thank you.",
		}, false, "Caller said they're suffering from back pain. Agent's view: a pulled muscle."},
		{"what the agent asked for after the wish", []string{
			"assistant: Hello, how can I help?", "user: I need a repair at 9 Hill Road.", "assistant: What seems to be the problem?", "user: The boiler is leaking.", "assistant: Fine.", "user: Thanks, bye.",
		}, false, "Caller wanted a repair at 9 Hill Road: the boiler is leaking."},
		{"somebody rings about something", []string{
			"assistant: Hello.", "user: Hi, yeah, I'm calling about my water heater. You guys put it in, um, three years ago I think?", "assistant: It sounds like the thermocouple.", "user: Thanks.",
		}, false, "Caller got in touch about their water heater. Agent's view: the thermocouple."},
		{"a chat in which nobody asks for anything", []string{
			"assistant: How did you get on with the doctor?", "user: He says it's just wear and tear, and I'm to have, um, physiotherapy.", "assistant: When do you begin?",
			"user: On Thursday. I sing bass, believe it or not. They're going to stay for Christmas, at Christmas the piano is played.", "assistant: Goodbye.", "user: Bye bye.",
		}, false, "Caller said they're to have physiotherapy. Also spoke of Christmas and piano."},
		{"an order that is typed", []string{"user: Write me a poem about the sea", "assistant: The sea is wide."}, true, "Caller asked the agent to write them a poem about the sea."},
		{"news of the world are no outcome", []string{"user: What came of the trade talks?", "assistant: An agreement has been signed in Lisbon."}, true, "Caller asked “What came of the trade talks?”"},
		{"a compliment is no view", []string{"user: My three cousins were visiting last week.", "assistant: That sounds like a happy house.", "user: Bye."}, false, "Caller said their three cousins were visiting last week."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := summary.Write(turns(tt.lines...), summary.Options{Typed: tt.typed}).Brief; got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestLinesReadAsSomebodyWouldWriteThem(t *testing.T) {
	tests := []struct{ name, agent, caller, want, not string }{
		{"a pause is no comma", "How are you?", "I generally feel tired, and, um, weak.", "They generally feel tired and weak", "tired,"},
		{"an answer that is a statement needs no name", "Do you have any allergies to medications?", "Yes, I'm allergic to penicillin.", "They're allergic to penicillin", "medications: they"},
		{"advice keeps its verb", "You can try cranberry juice.", "OK.", "Caller to try cranberry juice", "Caller: "},
		{"advice put as a gerund", "It's also worth using a humidifier.", "OK.", "Caller to consider using a humidifier", "to using"},
		{"what leads up to advice", "What I'd like you to do is maybe drink more water.", "OK.", "Caller to drink more water", "do is"},
		{"who follows is told with the one before", "Who visits you?", "I have a grandson Leo, he plays the trumpet.", "grandson Leo, he plays the trumpet", "\nHe plays"},
		{"where it is", "Where is the pain?", "Mostly in the left shoulder.", "Pain: mostly in the left shoulder", "Where"},
		{"a recap is told", "Just to summarise, you've had a burning rash on both arms for four days.", "Yes.", "They've had a burning rash on both arms for four days", "summarise"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := text(summary.Write(turns("assistant: Hello.", "user: I have a cough.", "assistant: "+tt.agent, "user: "+tt.caller, "assistant: Goodbye.", "user: Thank you, bye."), summary.Options{}))
			if low := strings.ToLower(got); !strings.Contains(low, strings.ToLower(tt.want)) || strings.Contains(low, strings.ToLower(tt.not)) {
				t.Errorf("want %q and not %q in\n%s", tt.want, tt.not, got)
			}
		})
	}
}

// Summary and memories are read together, and have their words together.
func TestMemoriesTakeTheirWordsFromTheSummary(t *testing.T) {
	call := script(t, "plumbing")
	for range 4 {
		call = append(call, script(t, "companion")...)
		call = append(call, script(t, "card")...)
	}
	long := strings.Repeat("word ", 20)
	tests := []struct {
		name       string
		remembered []string
		most       int
	}{
		{"nothing is remembered", nil, summary.DefaultMaxWords},
		{"a little", []string{long}, summary.DefaultMaxWords - 20},
		{"much", []string{long, long, long, long}, summary.LeastWords},
	}
	for _, tt := range tests {
		if got := len(strings.Fields(text(summary.Write(call, summary.Options{Remembered: tt.remembered})))); got > tt.most {
			t.Errorf("%s: got %d words, want at most %d", tt.name, got, tt.most)
		}
	}
}
