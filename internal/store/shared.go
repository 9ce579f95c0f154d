package store

import (
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// One number is taken for one caller: the row with its kind and token leads to him. The others who use it have a row each,
// under a kind of their own, so that no ring is taken for them. What such a row has sealed opens as one of that sort only.

const sharing = "also "

// kindShared is the kind of an identity of a caller for whom it is not taken.
func kindShared(kind recaller.IdentityKind, caller recaller.CallerID) recaller.IdentityKind {
	return recaller.IdentityKind(sharing + string(kind) + " " + string(caller))
}

// sharedKind reads the kind of a row.
func sharedKind(row recaller.IdentityKind) (kind recaller.IdentityKind, shared bool) {
	rest, shared := strings.CutPrefix(string(row), sharing)
	if !shared {
		return row, false
	}
	name, _, _ := strings.Cut(rest, " ")
	return recaller.IdentityKind(name), true
}

// identityRecord names the record of an identity.
func identityRecord(token []byte, shared bool) string {
	if shared {
		return tokenRecord(token) + ".shared"
	}
	return tokenRecord(token)
}

func identityPlace(token []byte, shared bool) vault.Place {
	return vault.Place{Table: "identities.value", Record: identityRecord(token, shared)}
}
