package decide

import (
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// BareKey returns what the keys of memories are compared by. Case and surrounding space do not count (W2). Blind tokens
// are made of it, so what it returns for a key must never change.
func BareKey(key string) string { return strings.ToLower(strings.TrimSpace(key)) }

// sameFact reports whether a memory that was told again says nothing new.
func sameFact(old, again recaller.Memory) bool {
	if again.DueAt != nil && (old.DueAt == nil || !sameTime(*again.DueAt, *old.DueAt)) {
		return false
	}
	return sameWords(old.Value, again.Value)
}

// sameFinding reports whether two memories were found in the same words and say the same.
func sameFinding(a, b recaller.Memory) bool {
	due := a.DueAt == nil && b.DueAt == nil ||
		a.DueAt != nil && b.DueAt != nil && sameTime(*a.DueAt, *b.DueAt) && a.DueDay == b.DueDay
	return due && a.Type == b.Type && a.Key == b.Key && a.Value == b.Value && sameTime(a.CreatedAt, b.CreatedAt)
}

// sameWords compares values: case and space do not count.
func sameWords(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}

// sameTime compares times as they are stored, in microseconds.
func sameTime(a, b time.Time) bool { return a.UnixMicro() == b.UnixMicro() }

// maxAliases bounds the aliases of a memory; the oldest go first.
const maxAliases = 20

// aliases joins lists of aliases of a memory. None is in it twice, and never the memory's own key.
func aliases(key string, lists ...[]string) []string {
	seen := map[string]bool{BareKey(key): true, "": true}
	var out []string
	for _, alias := range slices.Concat(lists...) {
		if bare := BareKey(alias); !seen[bare] {
			seen[bare] = true
			out = append(out, strings.TrimSpace(alias))
		}
	}
	return out[max(0, len(out)-maxAliases):]
}
