package forgotten

import (
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// What is left out of a document leaves its form as it was.
func TestADocumentKeepsItsForm(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC)
	v := New([]recaller.Memory{{
		ID: "m", Key: "dog_name", Value: "Pluto", Status: recaller.MemoryForgotten, CreatedAt: at, ClosedAt: at.Add(time.Hour),
	}})
	for name, tt := range map[string]struct{ content, want string }{
		"a line of several":    {"## Call\n\n**Caller:** Ana\n\n### Topics\n- Tea.\n- Her dog is Pluto.\n\n### Facts\n- Lives alone.", "## Call\n\n**Caller:** Ana\n\n### Topics\n- Tea.\n\n### Facts\n- Lives alone."},
		"the last of a part":   {"## Call\n\n### Topics\n- Her dog is Pluto.\n\n### Facts\n- Lives alone.", "## Call\n\n### Facts\n- Lives alone."},
		"at the end":           {"# A\nTea.\n\n## B\nPluto is a good dog.", "# A\nTea."},
		"a part in a part":     {"# A\n## B\nThe dog is Pluto.\n# C\nTea.", "# C\nTea."},
		"a heading":            {"# Pluto\nTea.\n# B\nMilk.", "Tea.\n# B\nMilk."},
		"nothing below it":     {"# A\n# B\nPluto barks.\n# C\nTea.", "# A\n# C\nTea."},
		"all of it":            {"Her dog is Pluto.", ""},
		"nothing of it":        {"\nTea.\n\n\n\nMilk.  \n", "Tea.\n\nMilk."},
		"seven marks are none": {"####### A\nPluto barks.", "####### A"},
	} {
		d := v.Document(recaller.Document{Title: "T", Content: tt.content, CreatedAt: at}, nil)
		if d.Content != tt.want {
			t.Errorf("%s: got %q, want %q", name, d.Content, tt.want)
		}
	}
	if d := v.Document(recaller.Document{Title: "About Pluto", Content: "Tea.", CreatedAt: at}, nil); d.Title+d.Content != "" {
		t.Errorf("got %+v, want nothing of what its title tells", d)
	}
}
