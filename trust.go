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
	TrustVerified  Trust = "verified"  // the application or the platform says who it is
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

// Telling is how much of what is known an agent is told. It is ordered: each tells more than those before it.
type Telling string

// How much is told, least first.
const (
	TellNothing       Telling = "nothing" // nor who it may be
	TellName          Telling = "name"    // and number; nothing of what was said or is remembered
	TellAllButPrivate Telling = "all_but_private"
	TellAll           Telling = "all"
)

// Tellings lists them, least first.
func Tellings() []Telling { return []Telling{TellNothing, TellName, TellAllButPrivate, TellAll} }

// Valid reports whether t is one of them.
func (t Telling) Valid() bool { return slices.Contains(Tellings(), t) }

// Allowing is what the memory tools may do. It is ordered: each allows more than those before it. None allows more than
// may be told: what an agent must not know, no tool finds.
type Allowing string

// What the tools may do, least first.
const (
	AllowNone   Allowing = "none"
	AllowRecall Allowing = "recall" // look back
	AllowWrite  Allowing = "write"  // and keep what is said
	AllowAll    Allowing = "all"    // and forget, and cancel reminders
)

// Allowings lists them, least first.
func Allowings() []Allowing { return []Allowing{AllowNone, AllowRecall, AllowWrite, AllowAll} }

// Valid reports whether a is one of them.
func (a Allowing) Valid() bool { return slices.Contains(Allowings(), a) }

// Rights are what an agent may in a conversation of a tier of trust.
type Rights struct {
	Tell  Telling  `json:"tell,omitempty"`  // empty: the default
	Tools Allowing `json:"tools,omitempty"` // empty: the default
}

// Tells reports whether so much may be told.
func (r Rights) Tells(t Telling) bool {
	return slices.Index(Tellings(), r.Tell) >= slices.Index(Tellings(), t)
}

// Allows reports whether a tool may be used. Which needs what: Tool.Needs.
func (r Rights) Allows(t Tool) bool {
	return slices.Index(Allowings(), r.Tools) >= slices.Index(Allowings(), t.Needs())
}

// defaultRights tell everything but what was marked private until it is known who speaks. Of an anonymous caller nothing
// is known anyway. The tools may do all: what is private they do not find.
func defaultRights(t Trust) Rights {
	if t == TrustVerified {
		return Rights{TellAll, AllowAll}
	}
	return Rights{TellAllButPrivate, AllowAll}
}

// Rights returns what an agent of the tenant may in a conversation of a tier. What is no tier counts as TrustClaimed:
// somebody who is looked up, and whom nothing vouches for.
func (t Tenant) Rights(of Trust) Rights {
	if !of.Valid() {
		of = TrustClaimed
	}
	r, otherwise := t.Trust[of], defaultRights(of)
	if r.Tell == "" {
		r.Tell = otherwise.Tell
	}
	if r.Tools == "" {
		r.Tools = otherwise.Tools
	}
	return r
}

// Raising asks for the trust of a conversation to be raised. A tier that it has already, or that is lower, changes
// nothing.
type Raising struct {
	Conversation ConversationID
	Trust        Trust
	Caller       CallerID // whose it must still be; empty: whoever's it is
}

// Raised is the result of a Raising.
type Raised struct {
	Conversation Conversation // as it now is
	Already      bool         // it was that sure before; nothing was written
	Change       Change
}
