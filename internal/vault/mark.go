package vault

import "context"

const markPrefix = "mark/"

// Mark notes, durably, that something is true of the data from now on. A mark is with the keys, apart from the data, so
// nobody takes it away who can write the data alone. It says nothing secret.
func (v *Vault) Mark(ctx context.Context, name string) error {
	if _, err := v.store.PutValue(ctx, markPrefix+name, []byte{1}); err != nil {
		return unavailable(err, "the key store could not be written")
	}
	return nil
}

// Marked reports whether there is such a mark.
func (v *Vault) Marked(ctx context.Context, name string) (bool, error) {
	values, err := v.store.Values(ctx)
	if err != nil {
		return false, unavailable(err, "the key store could not be read")
	}
	return values[markPrefix+name] != nil, nil
}

// Ended reports whether the scope has a tombstone: its key was destroyed, or Destroy was called before it had one.
func (v *Vault) Ended(ctx context.Context, scope Scope) (bool, error) {
	if scope.Tenant == "" {
		return false, errNoTenant()
	}
	stored, found, err := v.store.Key(ctx, scope)
	if err != nil {
		return false, unavailable(err, "the key store could not be read")
	}
	return found && stored.Destroyed(), nil
}
