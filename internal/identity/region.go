package identity

import "github.com/nyaruka/phonenumbers"

// KnownRegion reports whether region is a country code (ISO 3166 alpha-2, upper case) that numbers can be read under.
func KnownRegion(region string) bool { return phonenumbers.GetSupportedRegions()[region] }
