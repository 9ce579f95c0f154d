package when

import "time"

// numeric matches 5/12, 5/12/2026, 24.11.2026 and 2026-11-24.
func (p *parser) numeric(i int) span {
	if i >= len(p.tok) || p.tok[i].kind != number || p.any(i-1, "/", "-", "$", ":") {
		return span{}
	}
	sep := p.w(i + 1)
	if sep != "/" && sep != "-" && sep != "." || i+2 >= len(p.tok) || p.tok[i+2].kind != number || !p.glued(i+1) || !p.glued(i+2) {
		return span{}
	}
	a, b := p.tok[i].val, p.tok[i+2].val
	third := i+4 < len(p.tok) && p.w(i+3) == sep && p.tok[i+4].kind == number && p.glued(i+3) && p.glued(i+4)
	if p.tok[i].digits == 4 && third && a >= 1900 && a < 2100 {
		if d := p.tok[i+4].val; b >= 1 && b <= 12 && d >= 1 && d <= daysIn(a, time.Month(b)) {
			return p.onDate(a, time.Month(b), d, 5)
		}
		return span{}
	}
	d, m := b, a
	if p.opts.DayFirst || p.lang != english || sep == "." || m > 12 {
		d, m = a, b
	}
	if m > 12 && d <= 12 {
		d, m = m, d
	}
	if m < 1 || m > 12 || d < 1 || d > daysIn(2000, time.Month(m)) || p.tok[i].digits > 2 || p.tok[i+2].digits > 2 {
		return span{}
	}
	if !third {
		return p.shortNumeric(i, time.Month(m), d, sep)
	}
	y := p.tok[i+4].val
	if p.tok[i+4].digits == 2 {
		y += 2000
	}
	if y < 1900 || y >= 2100 || d > daysIn(y, time.Month(m)) || p.tok[i+4].digits == 3 {
		return span{}
	}
	return p.onDate(y, time.Month(m), d, 5)
}

// shortNumeric settles on 5/12 without a year, which may as well be a fraction, a score or a rota (24/7).
func (p *parser) shortNumeric(i int, m time.Month, d int, sep string) span {
	a, b := p.tok[i].val, p.tok[i+2].val
	led := p.any(i-1, "on", "by", "until", "since", "before", "after", "for")
	if sep == "." {
		return p.pointed(i, m, d, led || p.any(i-1, "from", "vom", "zum", "ab"))
	}
	fraction := a < b && (b <= 4 || b == 8) || a == 24 && b == 7 || a == 50 && b == 50
	if sep == "-" || fraction && !led || p.glued(i+3) && !p.ends(i+3) || i > 0 && p.tok[i-1].kind == number {
		return span{}
	}
	if !led && !p.ends(i+3) && !p.any(i+3, "at", "and", "for", "because", "i", "we", "from", "with") {
		return span{}
	}
	s := p.dated(m, d, i+3, i)
	if s.n > 3 {
		return span{}
	}
	return s
}

// pointed settles on a German 3.12. without a year. The second point may be missing where a word before it makes it a
// date: "am 3.12 um drei".
func (p *parser) pointed(i int, m time.Month, d int, led bool) span {
	end := i + 3
	closed := p.w(end) == "." && p.glued(end)
	if p.lang != german || !led || p.any(end, "%", "€", "uhr") || !closed && p.glued(end) && !p.ends(end) {
		return span{}
	}
	if closed {
		end++
	}
	s := p.dated(m, d, end, i)
	if s.n > end-i {
		return span{}
	}
	return s
}

// pointedDay reports whether what looks like 5:12 is a German day that ends a stretch: "bis 5.12.".
func (p *parser) pointedDay(j int) bool {
	return p.lang == german && p.w(j-1) == "until" && p.w(j+1) == "." && p.w(j+3) == "." && p.glued(j+3) && p.tok[j+2].val <= 12
}
