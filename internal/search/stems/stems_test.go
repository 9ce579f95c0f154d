package stems_test

import (
	"maps"
	"testing"

	"github.com/recallerhq/recaller/internal/search/stems"
)

func TestCount(t *testing.T) {
	got := stems.Count("She booked two tables.", "Booking: TABLE 12, and the tables")
	want := map[string]int{"book": 2, "two": 1, "tabl": 3, "12": 1}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if n := len(stems.Count()); n != 0 {
		t.Errorf("no text has %d stems", n)
	}
}
