package tenant

import "github.com/recallerhq/recaller"

// trust checks what agents may in conversations of the tiers of trust.
func trust(tiers map[recaller.Trust]recaller.Rights) error {
	for tier, r := range tiers {
		switch {
		case !tier.Valid():
			return recaller.InvalidField("trust", "must have the tiers %v only", recaller.Trusts())
		case r.Tell != "" && !r.Tell.Valid():
			return recaller.InvalidField("trust."+string(tier)+".tell", "must be one of %v", recaller.Tellings())
		case r.Tools != "" && !r.Tools.Valid():
			return recaller.InvalidField("trust."+string(tier)+".tools", "must be one of %v", recaller.Allowings())
		}
	}
	return nil
}
