package recaller

import (
	"errors"
	"fmt"
)

// Kind says what sort of failure an error is, so that each edge maps it to its protocol in one table.
// A Kind is itself an error: errors.Is(err, recaller.NotFound) works on anything that wraps one.
type Kind string

// The kinds. Internal is what an error without a kind counts as.
const (
	Invalid         Kind = "invalid"         // the request is wrong; Field names where
	Unauthenticated Kind = "unauthenticated" // no key, or a key that is not known
	Forbidden       Kind = "forbidden"       // the key's scope does not allow it
	NotFound        Kind = "not found"       // no such thing in this tenant
	Conflict        Kind = "conflict"        // the thing's state does not allow it
	Exhausted       Kind = "exhausted"       // a limit was reached; later it may work
	Unavailable     Kind = "unavailable"     // a part that is needed is away (the database, the key store)
	Timeout         Kind = "timeout"         // the deadline passed
	Full            Kind = "storage full"    // no room is left to write; reads go on
	Internal        Kind = "internal"        // a fault of ours
)

// Error makes a Kind usable as the target of errors.Is.
func (k Kind) Error() string { return string(k) }

// Kinds lists every kind, so that a test can prove that each edge maps them all.
func Kinds() []Kind {
	return []Kind{
		Invalid, Unauthenticated, Forbidden, NotFound, Conflict, Exhausted, Unavailable, Timeout, Full, Internal,
	}
}

// Error is a failure with a kind, a text that is safe to show to a client, and a cause that is not.
// Msg never holds what a caller said, a number, or a name.
type Error struct {
	Kind  Kind
	Field string // the request field at fault, in the API's spelling ("caller.phone", "turns[3].text"); empty if none
	Msg   string // safe for clients: what was wrong and what was expected
	Err   error  // the cause; logged, never sent
}

// Error returns the message with its cause, for logs.
func (e *Error) Error() string {
	s := e.Msg
	if e.Field != "" {
		s = e.Field + ": " + s
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is e's kind.
func (e *Error) Is(target error) bool {
	k, ok := target.(Kind)
	return ok && k == e.Kind
}

// Errorf returns an error of the kind with a client-safe message.
func Errorf(kind Kind, format string, args ...any) error {
	return &Error{Kind: kind, Msg: fmt.Sprintf(format, args...)}
}

// InvalidField returns an Invalid error that names the field and what was expected of it.
func InvalidField(field, format string, args ...any) error {
	return &Error{Kind: Invalid, Field: field, Msg: fmt.Sprintf(format, args...)}
}

// Wrap gives a cause a kind and a client-safe message. A nil cause gives nil.
func Wrap(kind Kind, err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return &Error{Kind: kind, Msg: fmt.Sprintf(format, args...), Err: err}
}

// KeyMissing is the cause of an error about data whose key the key store does not have, or has only damaged: the keys are
// older than the data. Whose data it is is quarantined: it is never sealed with another key, and all else goes on.
type KeyMissing struct {
	Tenant TenantID
	Caller CallerID // empty: the key is the tenant's own
}

// Error names whose key it is.
func (k *KeyMissing) Error() string {
	if k.Caller == "" {
		return fmt.Sprintf("no key of tenant %s", k.Tenant)
	}
	return fmt.Sprintf("no key of caller %s of tenant %s", k.Caller, k.Tenant)
}

// MissingKey returns the Unavailable error of which KeyMissing is the cause.
func MissingKey(tenant TenantID, caller CallerID) error {
	whose := "caller " + string(caller)
	if caller == "" {
		whose = "tenant " + string(tenant)
	}
	return Wrap(Unavailable, &KeyMissing{Tenant: tenant, Caller: caller},
		"the key of %s is missing from the key store: what is stored cannot be read, and nothing is added, until it is put back",
		whose)
}

// IsKeyMissing reports whether an error is that of a missing key.
func IsKeyMissing(err error) bool {
	var k *KeyMissing
	return errors.As(err, &k)
}

// Unproven is the cause of an error about an identity whose row does not open for the caller that it leads to. It was
// damaged, or changed by somebody who has no key. Nobody is recognised by it, and nobody new is made of it.
type Unproven struct{ Kind IdentityKind }

// Error names what kind of identity it is.
func (u *Unproven) Error() string {
	return "the " + string(u.Kind) + " does not open for the caller that its row names"
}

// UnprovenIdentity returns the Unavailable error of which Unproven is the cause.
func UnprovenIdentity(kind IdentityKind) error {
	return Wrap(Unavailable, &Unproven{Kind: kind},
		"the row that says whose %s this is was damaged or changed: nobody is recognised by it until it is put back or deleted", kind)
}

// IsUnproven reports whether an error is that of an identity that proves nothing.
func IsUnproven(err error) bool {
	var u *Unproven
	return errors.As(err, &u)
}

// IsQuarantined reports whether an error concerns one caller, or one tenant, that the store will not write about until
// somebody repairs it: a key is missing, or an identity proves nothing.
func IsQuarantined(err error) bool { return IsKeyMissing(err) || IsUnproven(err) }

// KindOf returns the kind of an error: the outermost one in its chain, Internal if it has none.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	var k Kind
	if errors.As(err, &k) {
		return k
	}
	return Internal
}
