package likeness

import "slices"

// NamesCaller reports whether a memory with this key holds the caller's own name.
func NamesCaller(key string) bool {
	return slices.Contains([]string{"preferred_name", "name", "first_name", "full_name", "user_name", "caller_name"}, NormalKey(key))
}
