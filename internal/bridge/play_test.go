package bridge

import (
	"slices"
	"testing"
	"time"

	"github.com/recallerhq/recaller/internal/mediastream"
)

var noon = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

func TestPlayback(t *testing.T) {
	t.Parallel()
	const piece = pieceMS * 8
	var p playback
	if _, m := p.add("a", piece/2, noon); m != "" {
		t.Errorf("half a piece has the mark %q", m)
	}
	if _, m := p.add("a", piece/2, noon); m != "m1" {
		t.Errorf("a piece has the mark %q, want m1", m)
	}
	p.add("a", piece, noon)
	p.add("a", 80, noon)
	if m, known := p.finish("a"); m != "m3" || !known {
		t.Errorf("the end has the mark %q, want m3", m)
	}
	if m, known := p.finish("a"); m != "" || !known {
		t.Errorf("the second end has the mark %q", m)
	}
	if _, known := p.finish("nobody"); known {
		t.Error("what nobody said is known")
	}
	p.add("b", piece, noon)
	if got, want := p.ahead(), 3*pieceMS*time.Millisecond+10*time.Millisecond; got != want {
		t.Errorf("%s are ahead, want %s", got, want)
	}
	p.reached("m1")
	p.reached("m1") // again
	p.reached("m9") // never sent
	if got := p.over(); len(got) > 0 {
		t.Errorf("%q are over", got)
	}
	p.reached("m3") // m2 was lost on the way
	if got := p.over(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("%q are over, want a", got)
	}
	cut, over := p.cut()
	if !slices.Equal(cut, []heard{{"b", 0}}) || len(over) > 0 || p.ahead() != 0 || !p.refused("b") || p.refused("a") {
		t.Errorf("cut %v, over %v", cut, over)
	}
	p.reached("m4") // it was cleared
	if p.over() != nil {
		t.Error("what was cleared was played")
	}
}

// However long the pieces are, no more audio than one of the longest is between two marks.
func TestMarksStandCloseTogether(t *testing.T) {
	t.Parallel()
	for ms := 1; ms <= pieceMS; ms++ {
		var p playback
		for range 1000 / ms {
			p.add("a", ms*8, noon)
		}
		at := 0
		for _, m := range p.marks {
			if m.upTo-at > pieceMS*8 || m.upTo == at {
				t.Fatalf("pieces of %d ms: %d bytes are between two marks, want from 1 to %d", ms, m.upTo-at, pieceMS*8)
			}
			at = m.upTo
		}
	}
}

func TestWhatIsAsGoodAsOverIsNotCutOff(t *testing.T) {
	t.Parallel()
	var p playback
	p.add("a", pieceMS*8, noon)
	p.add("a", pieceMS*8, noon)
	p.finish("a")
	p.reached("m1")
	if cut, over := p.cut(); len(cut) > 0 || !slices.Equal(over, []string{"a"}) {
		t.Errorf("cut %v, over %v", cut, over)
	}
}

func TestMarksThatDoNotComeBackCountWhenTheirTimeIsOver(t *testing.T) {
	t.Parallel()
	var p playback
	p.add("a", 8000, noon)
	p.add("a", 8000, noon.Add(100*time.Millisecond)) // played behind the first
	p.finish("a")
	if n := p.late(noon.Add(time.Second + markWait - 1)); n != 0 {
		t.Errorf("%d marks are late too early", n)
	}
	if n := p.late(noon.Add(time.Second + markWait)); n != 1 || p.over() != nil {
		t.Errorf("%d marks are late, want the first", n)
	}
	if n := p.late(noon.Add(2*time.Second + markWait)); n != 1 || !slices.Equal(p.over(), []string{"a"}) {
		t.Errorf("%d marks are late, want the second", n)
	}
}

func TestTheRateOfFrames(t *testing.T) {
	t.Parallel()
	var b Rate
	now := noon
	for range 60 * 50 { // a minute of speech
		if !b.Take(mediastream.Frame{}, nil, now) {
			t.Fatal("a telephone is refused")
		}
		now = now.Add(20 * time.Millisecond)
	}
	for range 500 { // ten seconds at once, after the network was away
		if !b.Take(mediastream.Frame{}, nil, now) {
			t.Fatal("what was held up is refused")
		}
	}
	for range burst {
		if !b.Take(mediastream.Frame{}, nil, now) {
			return
		}
	}
	t.Error("a flood is taken")
}
