package recaller

import "slices"

// Trust says how sure it is that the caller of a conversation is who his identity says (B1). A number is a lookup, and no
// proof. It is ordered: each tier is surer than those before it, and in a conversation it never falls.
type Trust string

// The tiers of trust, least sure first.
const (
	TrustAnonymous Trust = "anonymous" // nobody is recognised: a withheld number
	TrustClaimed   Trust = "claimed"   // a number or an id was shown, and no more
	TrustAttested  Trust = "attested"  // the network of telephones vouches for the number
	TrustVerified  Trust = "verified"  // the application, the platform, or a spoken PIN says who it is
)

// Trusts lists the tiers, least sure first.
func Trusts() []Trust { return []Trust{TrustAnonymous, TrustClaimed, TrustAttested, TrustVerified} }

// Valid reports whether t is one of the tiers.
func (t Trust) Valid() bool { return slices.Contains(Trusts(), t) }

// AtLeast reports whether t is as sure as o. What is no tier is less sure than any.
func (t Trust) AtLeast(o Trust) bool {
	return slices.Index(Trusts(), t) >= slices.Index(Trusts(), o)
}

// Highest returns the surest of the tiers.
func Highest(tiers ...Trust) Trust {
	return slices.MaxFunc(tiers, func(a, b Trust) int {
		return slices.Index(Trusts(), a) - slices.Index(Trusts(), b)
	})
}

// Vouches reports whether the network vouches for the number: it knows that it is the customer's, and the platform has
// checked that this is its word.
func (a Attestation) Vouches() bool { return a.Passed && a.Level == "A" }

// TrustAtStart is the tier with which a conversation begins. identified says that the caller showed an identity, vouched
// that the application or the platform says who it is. Whoever shows no identity is anonymous, whatever is said of him.
func TrustAtStart(identified, vouched bool, a Attestation) Trust {
	switch {
	case !identified:
		return TrustAnonymous
	case vouched:
		return TrustVerified
	case a.Vouches():
		return TrustAttested
	}
	return TrustClaimed
}

// Raising asks for the trust of a conversation to be raised. A tier that it has already, or that is lower, changes
// nothing.
type Raising struct {
	Conversation ConversationID
	Trust        Trust
}

// Raised is the result of a Raising.
type Raised struct {
	Conversation Conversation // as it now is
	Already      bool         // it was that sure before; nothing was written
	Change       Change
}
