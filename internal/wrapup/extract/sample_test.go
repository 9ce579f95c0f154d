//go:build measure

package extract_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup/extract"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// TestPrintSample prints a random sample of what is extracted from the development data, each with its source, for
// reading:
//
//	RECALLER_SAMPLE_SEED=77 go test -tags measure ./internal/wrapup/extract -run TestPrintSample -v
//
// RECALLER_SAMPLE_SIZE sets how many (100), RECALLER_SAMPLE_SESSIONS how many chat sessions are read (1500, drawn by
// the same seed).
func TestPrintSample(t *testing.T) {
	seed := os.Getenv("RECALLER_SAMPLE_SEED")
	if seed == "" {
		t.Fatal("set RECALLER_SAMPLE_SEED: it draws the sample")
	}
	chats := chatSessions(t)
	slices.SortFunc(chats, func(a, b call) int { return cmp.Compare(draw(seed, a.id), draw(seed, b.id)) })
	calls := append(consultations(t), bankCalls(t)...)
	calls = append(calls, chats[:min(len(chats), number(os.Getenv("RECALLER_SAMPLE_SESSIONS"), 1500))]...)
	type hit struct {
		call call
		c    extract.Candidate
	}
	var hits []hit
	bySet, byType := map[string]int{}, map[recaller.MemoryType]int{}
	for _, c := range calls {
		for _, m := range extract.Memories(reading.Of(c.turns, c.start, false)) {
			hits = append(hits, hit{c, m})
			bySet[c.set]++
			byType[m.Type]++
		}
	}
	t.Logf("%d conversations, %d memories, by set %v, by type %v", len(calls), len(hits), bySet, byType)
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Compare(draw(seed, a.call.id, a.c.Key), draw(seed, b.call.id, b.c.Key)) })
	hits = hits[:min(len(hits), number(os.Getenv("RECALLER_SAMPLE_SIZE"), 100))]
	slices.SortStableFunc(hits, func(a, b hit) int { return strings.Compare(a.call.set, b.call.set) })
	for i, h := range hits {
		due := ""
		if h.c.DueAt != nil {
			due = " due " + h.c.DueAt.Format("2006-01-02")
		}
		fmt.Printf("%d. %s %s %v | %s | %s | %s%s\n", i+1, h.call.set, h.call.id, h.c.Turns, h.c.Type, h.c.Key, h.c.Value, due)
		for _, n := range h.c.Turns {
			fmt.Printf("      %s> %s\n", h.call.turns[n].Speaker, shorten(h.call.turns[n].Text))
		}
	}
}

func number(s string, or int) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return or
}

func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 700 {
		s = s[:700] + "…"
	}
	return s
}

// draw gives a thing its place in the lot of a seed; small changes of the rules leave the places of the others alone.
func draw(seed string, parts ...string) uint64 {
	h := sha256.Sum256([]byte(seed + "|" + strings.Join(parts, "|")))
	return binary.BigEndian.Uint64(h[:])
}
