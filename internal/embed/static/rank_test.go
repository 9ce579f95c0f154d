package static_test

import (
	"testing"

	"github.com/recallerhq/recaller/internal/embed/static"
	"github.com/recallerhq/recaller/internal/recall/token"
)

func TestCommonWordsRankBeforeRareOnes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lang         token.Language
		common, rare string
	}{
		{token.English, "booking", "bailiff"},
		{token.English, "sister", "fraud"},
		{token.Spanish, "calle", "embarazada"},
		{token.French, "maison", "casino"},
		{token.German, "termin", "tabletten"},
		{token.Italian, "casa", "prigione"},
		{token.Portuguese, "casa", "hospital"},
	} {
		common, ok := static.Rank(tt.lang, []byte(tt.common))
		rare, listed := static.Rank(tt.lang, []byte(tt.rare))
		if !ok || listed && rare <= common {
			t.Errorf("%s: got %s at %d (%t) and %s at %d (%t), want it behind", tt.lang, tt.common, common, ok, tt.rare, rare, listed)
		}
	}
	for _, w := range []string{"the", "chlamydia", ""} {
		if r, ok := static.Rank(token.English, []byte(w)); ok {
			t.Errorf("%q: got rank %d, want none", w, r)
		}
	}
}
