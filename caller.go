package recaller

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// IdentityKind says by what a caller is recognised.
type IdentityKind string

// The kinds of identity.
const (
	IdentityPhone    IdentityKind = "phone"       // E.164, normalised (spec 2.4)
	IdentityExternal IdentityKind = "external_id" // an id of the application's own
)

// Identity is one way to recognise a caller inside a tenant. Value is normalised by internal/identity.
type Identity struct {
	Kind  IdentityKind `json:"kind"`
	Value string       `json:"value"`
	// Shared says that the number is taken for somebody else's: the caller is one of several people who use it.
	Shared bool `json:"shared,omitempty"`
}

// Caller is a person that the agent talks to, inside one tenant.
type Caller struct {
	ID         CallerID
	Identities []Identity
	Name       string     // empty if not known (P12)
	NameSource NameSource // how the name came; empty if there is none
	TimeZone   string     // IANA name; empty: from the number's region, else the tenant's
	FirstSeen  time.Time
	LastSeen   time.Time
	Shares     bool     // others use his number, or did
	MergedInto CallerID // who has all that was his; empty: he has it himself
	HasPIN     bool     // he can prove by a PIN who he is
	// Unreadable says that what is sealed of him cannot be opened: his key is missing (in lists only), or his row or an
	// identity of his is damaged.
	Unreadable bool

	// Statistics, kept atomically with what they count (P5).
	Conversations int           // ended conversations
	TotalDuration time.Duration // of voice conversations
	TextMessages  int           // turns of the caller on text channels
	// ContentVersion rises by one with every change to what recall may search of the caller. An index is current if it
	// was made of this version.
	ContentVersion int64
}

// Withheld reports whether the caller has no identity. Such a caller had one conversation, under a withheld number, and
// nothing recognises him again.
func (c Caller) Withheld() bool { return c.ID != "" && len(c.Identities) == 0 }

// Phone returns the caller's first number, or "".
func (c Caller) Phone() string { return c.identity(IdentityPhone) }

// ExternalID returns the caller's first external id, or "".
func (c Caller) ExternalID() string { return c.identity(IdentityExternal) }

// Phones returns the caller's numbers, first those that are taken for him.
func (c Caller) Phones() []string { return c.identities(IdentityPhone) }

func (c Caller) identity(kind IdentityKind) string {
	if all := c.identities(kind); len(all) > 0 {
		return all[0]
	}
	return ""
}

func (c Caller) identities(kind IdentityKind) (own []string) {
	var shared []string
	for _, id := range c.Identities {
		switch {
		case id.Kind != kind:
		case id.Shared:
			shared = append(shared, id.Value)
		default:
			own = append(own, id.Value)
		}
	}
	return append(own, shared...)
}

// Shared reports whether others use a number of the caller's, as far as he knows.
func (c Caller) Shared() bool {
	return c.Shares || slices.ContainsFunc(c.Identities, func(i Identity) bool { return i.Shared })
}

// Fit says how a name that was said fits one that is known.
type Fit int

// The ways to fit: by the words of both names, in any order.
const (
	FitsNot  Fit = iota
	FitsJust     // they are the same
	FitsMore     // more is known than was said
	FitsLess     // more was said than is known
)

// Called says how a name fits the caller's.
func (c Caller) Called(name string) Fit {
	switch known, said := within(name, c.Name), within(c.Name, name); {
	case known && said:
		return FitsJust
	case known:
		return FitsMore
	case said:
		return FitsLess
	}
	return FitsNot
}

func within(few, many string) bool {
	words, among := strings.Fields(strings.ToLower(few)), strings.Fields(strings.ToLower(many))
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(among, w) })
}

// mostName is how many bytes a caller's name may have.
const mostName = 200

// ValidName fails with Invalid for what cannot be a caller's name.
func ValidName(name string) error {
	switch {
	case len(name) > mostName:
		return InvalidField("name", "must be at most %d bytes", mostName)
	case !utf8.ValidString(name):
		return InvalidField("name", "must be valid UTF-8")
	case strings.ContainsFunc(name, unicode.IsControl):
		return InvalidField("name", "must not contain control characters")
	}
	return nil
}

// NameSource says how a caller's name came to be known. A stronger source is never overwritten by a weaker one:
// set > said > given.
type NameSource string

// The sources of a name, weakest first.
const (
	NameGiven NameSource = "given" // by the platform or application at the start of a conversation
	NameSaid  NameSource = "said"  // the caller said it (P12)
	NameSet   NameSource = "set"   // an operator set it over the API
)

// Outranks reports whether a name from s may replace one from other.
func (s NameSource) Outranks(other NameSource) bool {
	rank := map[NameSource]int{"": 0, NameGiven: 1, NameSaid: 2, NameSet: 3}
	return rank[s] >= rank[other]
}

// FullerName returns the name that the caller should have after his words told one. A name that completes or corrects
// the known one takes its place. The known one stays if said is a part of it, or one word where it has several. It also
// stays if the caller said it himself, in several words, and said looks like the name of somebody else on the same
// line.
func (c Caller) FullerName(said string) string {
	old, words := strings.Fields(strings.ToLower(c.Name)), strings.Fields(strings.ToLower(said))
	if len(words) == 0 || len(words) == 1 && len(old) > 1 {
		return c.Name
	}
	shared := len(slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !slices.Contains(old, w) }))
	another := shared < len(old) && (shared == 0 || words[0][0] != old[0][0])
	if shared == len(words) || another && len(old) > 1 && c.NameSource == NameSaid {
		return c.Name
	}
	return said
}
