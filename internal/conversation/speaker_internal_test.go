package conversation

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
)

// What was said before somebody else spoke is the first one's, unless it was a greeting; what nobody has answered yet,
// and the words in which they say their name, are theirs.
func TestWhereSomebodyElseBegins(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		what, name string
		said       []string
		want       int
	}{
		{"nothing was said", "", nil, 0},
		{"only the agent spoke", "", []string{"a: Hello Karl!"}, 0},
		{"a greeting", "Anna", []string{"u: Hello?", "a: Hello Karl!", "u: No, this is Anna, his wife, I have a question."}, 0},
		{"a greeting in German", "Anna", []string{"u: Guten Tag, Becker.", "a: Guten Tag Herr Becker!", "u: Nein, hier ist die Anna, seine Frau."}, 0},
		{"handed over in the middle", "Anna", []string{"u: My boiler has been leaking since Monday.", "a: We come on Friday.", "u: Good. Here is Anna, she has a question."}, 2},
		{"the words of the one who takes over were not kept yet", "", []string{"u: My boiler has been leaking since Monday.", "a: We come on Friday."}, 2},
		{"the name was said before the last answer", "Anna", []string{"u: My boiler has been leaking since Monday.", "a: We come on Friday.", "u: Anna here, I took the phone.", "a: Hello Anna."}, 2},
		{"of a name the first word counts", "Anna Maria Becker", []string{"u: The roof over the garage lost five tiles.", "a: I see.", "u: anna speaking", "a: Hello."}, 2},
		{"nobody says the name", "Eve", []string{"u: The roof over the garage lost five tiles.", "a: I see.", "u: one moment please", "a: Of course."}, 4},
		{"several turns wait for an answer", "", []string{"u: The roof over the garage lost five tiles.", "a: I see.", "u: wait", "u: I am her brother"}, 2},
	} {
		var turns []recaller.Turn
		for i, line := range tt.said {
			speaker := recaller.User
			if strings.HasPrefix(line, "a") {
				speaker = recaller.Assistant
			}
			turns = append(turns, recaller.Turn{Number: i, Speaker: speaker, Text: line[3:]})
		}
		if got := cutAt(turns, tt.name); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.what, got, tt.want)
		}
	}
}
