package when

import "github.com/recallerhq/recaller/internal/speech"

// starters are the words that a phrase can begin with, besides numbers, weekdays, months, seasons and days in the
// plural: a cheap test that spares most words the matchers.
var starters = speech.Set(`today tomorrow tmrw yesterday tonight the day other later earlier last next this coming upcoming
	past
	previous on in at by until till from before after about around roughly over almost nearly maybe like exactly every
	each daily
	weekly monthly yearly annually nightly biweekly fortnightly most during once twice within a an another few several
	couple
	beginning start early middle mid end late noon midday midnight half quarter christmas xmas boxing new halloween
	valentine
	valentines st independence veterans canada thanksgiving mother mothers father fathers memorial labor labour martin
	good easter
	that ere overmorrow ereyesterday heiligabend nochebuena silvester nochevieja presidents president between halfto
		mon tue tues wed weds thu thur thurs fri sat sun for since of`)

// starts reports whether a phrase may begin at token i.
func (p *parser) starts(i int) bool {
	t := p.tok[i]
	if t.kind != word {
		return t.kind == number
	}
	if starters[t.w] || weekdays[t.w] != 0 || manyDays[t.w] || small[t.w] != 0 || tens[t.w] != 0 || ordinals[t.w] != 0 {
		return true
	}
	_, season := seasons[t.w]
	return season || p.month(i) != 0
}
