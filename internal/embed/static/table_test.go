package static

import (
	"strings"
	"testing"
)

func TestAFileThatIsNotWholeIsRefused(t *testing.T) {
	t.Parallel()
	change := func(at int, to byte) string {
		b := []byte(weights)
		b[at] = to
		return string(b)
	}
	for name, file := range map[string]string{
		"nothing":        "",
		"another kind":   change(0, 'x'),
		"another width":  change(9, 0),
		"no rows":        weights[:12] + "\x00\x00\x00\x00" + weights[16:],
		"too few slots":  weights[:16] + "\x08\x00\x00\x00" + weights[20:],
		"an odd number":  change(16, 1),
		"no mean length": weights[:24] + "\x00\x00\x00\x00" + weights[28:],
		"cut short":      weights[:len(weights)-1],
		"too long":       weights + "x",
	} {
		if _, err := open(file); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

// A name that is not found where its hash points would be lost, and its word cut into pieces.
func TestEveryRowIsFoundByItsName(t *testing.T) {
	t.Parallel()
	tab := shared()
	for row := range tab.count {
		begin, end := tab.number(tab.offsets+4*int(row)), tab.number(tab.offsets+4*int(row)+4)
		name := tab.file[tab.names+int(begin) : tab.names+int(end)]
		mark, word := "", name
		if tail, ok := strings.CutPrefix(name, "##"); ok {
			mark, word = "##", tail
		}
		if got, size := tab.longest(mark, []byte(word)); got != row || size != len(word) {
			t.Errorf("row %d of %d bytes: got row %d for %d bytes", row, len(word), got, size)
		}
		if w := Weight(row); !(w > 0 && w < 20) {
			t.Errorf("row %d weighs %v", row, w)
		}
	}
}

func TestTheTableIsReadAtOnce(t *testing.T) {
	if got := testing.AllocsPerRun(10, func() {
		if _, err := open(weights); err != nil {
			t.Error(err)
		}
	}); got > 1 {
		t.Errorf("got %v allocations, want the one of the table's own fields", got)
	}
}

func BenchmarkOpen(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := open(weights); err != nil {
			b.Fatal(err)
		}
	}
}

func TestEveryForeignRowIsFoundByItsName(t *testing.T) {
	t.Parallel()
	tab := others()
	for row := range tab.count {
		begin, end := tab.number(tab.offsets+4*int(row)), tab.number(tab.offsets+4*int(row)+4)
		name := tab.file[tab.names+int(begin) : tab.names+int(end)]
		if got, ok := tab.named(name[0], name[1:]); !ok || got != row {
			t.Errorf("row %d: got row %d", row, got)
		}
		if w := Weight(row | abroad); !(w > 0 && w < 20) {
			t.Errorf("row %d weighs %v", row, w)
		}
	}
	for name, file := range map[string]string{"the English table": weights, "cut short": foreign[:len(foreign)-1], "nothing": ""} {
		if _, err := openAs(file, foreignMagic, Width/2); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}
