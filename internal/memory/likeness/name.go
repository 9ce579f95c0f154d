package likeness

import "slices"

// NamesCaller reports whether a memory with this key holds the caller's own name.
func NamesCaller(key string) bool {
	return slices.Contains([]string{
		"preferred_name", "name", "first_name", "full_name", "user_name",
		"caller_name", "callers_name", "customer_name", "client_name", "my_name",
	}, NormalKey(key))
}

// OfName reports whether a memory with this key holds the caller's own name or a part of it.
func OfName(key string) bool {
	return NamesCaller(key) || slices.Contains([]string{
		"last_name", "surname", "family_name", "given_name", "nickname", "middle_name",
		"maiden_name", "user", "caller", "customer", "contact_name",
	}, NormalKey(key))
}
