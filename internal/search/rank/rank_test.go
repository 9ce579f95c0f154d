package rank

import (
	"slices"
	"testing"
)

func talks(texts ...string) []Talk {
	out := make([]Talk, len(texts))
	for i, t := range texts {
		out[i] = Talk{Said: []string{t}}
	}
	return out
}

// hotel is what some callers of a hotel said.
var hotel = talks(
	"We got engaged and would like to have the wedding with you in June, for ninety guests.",
	"Our dog is an old labrador. Can we bring him, and is he allowed in the bar?",
	"My card has been charged twice for the same stay, and the bank wants a fee.",
	"The people above us were stamping about till four in the morning, I did not sleep a wink.",
)

func order(q Query, all []Talk) (places []int) {
	for _, r := range q.Rank(all) {
		if r.Near() {
			places = append(places, r.Talk)
		}
	}
	return places
}

func TestWhatIsMeantIsFoundInOtherWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"weddings": 0, "asking about weddings": 0, "callers who asked about weddings": 0, "marriage celebration": 0,
		"travelling with a pet": 1, "billed two times": 2, "kept awake by noise": 3,
	} {
		if got := order(Read(text, nil), hotel); len(got) == 0 || got[0] != want {
			t.Errorf("%q: got %v, want %d first", text, got, want)
		}
	}
}

func TestNothingSpeaksForNonsense(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"zzzqqq", "qqxyzzy brimfaldo", "callers who asked about zzzqqq", "?", ""} {
		if got := order(Read(text, nil), hotel); got != nil {
			t.Errorf("%q: got %v, want none", text, got)
		}
	}
	if got := Read("wedding", nil).Rank(nil); len(got) != 0 {
		t.Errorf("of no conversations: got %v", got)
	}
}

func TestWhatSaysAllOfAQueryComesBeforeWhatOnlyMeansIt(t *testing.T) {
	t.Parallel()
	all := talks("I am the bride. The bride called.", "We talked of this and that, of the weather and the garden, and of a wedding too.")
	if got := order(Read("wedding", nil), all); len(got) == 0 || got[0] != 1 {
		t.Errorf("got %v, want the one that says it first", got)
	}
}

func TestAScoreIsTheSumOfItsLegs(t *testing.T) {
	t.Parallel()
	all := slices.Clone(hotel)
	all[1].Cosine = 0.4
	for _, r := range Read("the bar and the dog", nil).Rank(all) {
		sum := 0.0
		for _, v := range r.Legs {
			sum += v
		}
		if diff := sum - r.Score; diff > 1e-9 || diff < -1e-9 {
			t.Errorf("%d: the legs come to %v, the score is %v", r.Talk, sum, r.Score)
		}
		if r.Talk == 1 && (len(r.Terms) != 2 || r.Legs[Words] <= 0 || r.Legs[Embedding] <= 0) {
			t.Errorf("got %+v, want both words and the embedder's part", r)
		}
	}
}

func TestFramesWeighNothing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"callers who asked about weddings": {"wed"},
		"find the lady that called":        {"find", "ladi", "call"},
		"frustrated customers":             {"frustrat"},
		"question about a refund":          {"refund"},
	} {
		if got := Read(text, nil).Stems(); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
	aside := func(at int) bool { return at == 0 }
	if got := Read("frustrated refunds", aside).Stems(); !slices.Equal(got, []string{"refund"}) {
		t.Errorf("aside: got %v", got)
	}
	if !OnlyFrame("frustrated customers", aside) || OnlyFrame("frustrated dentists", aside) {
		t.Error("what is only a frame is told wrongly")
	}
}

func FuzzRank(f *testing.F) {
	f.Add("callers who asked", "a wedding")
	f.Fuzz(func(t *testing.T, query, said string) {
		for _, r := range Read(query, nil).Rank(talks(said, "a dog")) {
			if r.Score != r.Score || r.Score < 0 {
				t.Errorf("score %v", r.Score)
			}
		}
	})
}

func BenchmarkRank(b *testing.B) {
	var all []Talk
	for range 40 {
		all = append(all, hotel...)
	}
	q := Read("callers kept awake by noise in the night", nil)
	for b.Loop() {
		q.Rank(all)
	}
}

func TestAConfiguredModelGoesBeforeTheTable(t *testing.T) {
	t.Parallel()
	score := func(by Maker) float64 {
		all := []Talk{{Said: []string{"My greenhouse has to be repaired."}, Cosine: 0.03, By: by}}
		return Read("gardening", nil).Rank(all)[0].Score
	}
	if table, beside := score(Table), score(Configured); beside <= 0 || beside > 0.6*table {
		t.Errorf("got %.2f beside a configured model and %.2f alone, want about half", beside, table)
	}
}
