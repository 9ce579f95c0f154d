package postgres

import (
	"testing"

	"github.com/recallerhq/recaller/internal/pgtest"
)

// A pooler in transaction mode gives two servers one session: the second one must not be told that the database is its
// own.
func TestASessionIsClaimedOnce(t *testing.T) {
	t.Parallel()
	h, err := claim(t.Context(), pgtest.Empty(t).Super, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.end(t.Context())
	if mine, err := h.lock(t.Context()); mine || err != nil {
		t.Errorf("the session that has the lock got it again: %v, %v", mine, err)
	}
}
