package guard

import (
	"strconv"
	"strings"
)

// luhn reports whether a number passes the check of ISO/IEC 7812: payment cards, Canada's SIN.
func luhn(number string) bool {
	sum := 0
	for i := range len(number) {
		d := int(number[len(number)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// issuer is a range of first digits, and the lengths of the numbers that begin so.
type issuer struct {
	from, to string // of the same length
	min, max int
}

// issuers are the networks whose cards are in use. Where ranges overlap any of them may fit.
var issuers = []issuer{
	{"4", "4", 16, 16},
	{"4", "4", 13, 13},
	{"4", "4", 19, 19}, // Visa
	{"51", "55", 16, 16},
	{"2221", "2720", 16, 16}, // Mastercard
	{"34", "34", 15, 15},
	{"37", "37", 15, 15}, // American Express
	{"300", "305", 14, 14},
	{"3095", "3095", 14, 14},
	{"36", "36", 14, 14},
	{"38", "39", 14, 14}, // Diners Club
	{"300", "305", 16, 16},
	{"3095", "3095", 16, 16},
	{"36", "36", 16, 16},
	{"38", "39", 16, 16},
	{"6011", "6011", 16, 19},
	{"644", "649", 16, 19},
	{"65", "65", 16, 19},     // Discover
	{"3528", "3589", 16, 19}, // JCB
	{"62", "62", 16, 19},
	{"81", "81", 16, 19}, // UnionPay
	{"5018", "5018", 13, 19},
	{"5020", "5020", 13, 19},
	{"5038", "5038", 13, 19},
	{"5893", "5893", 13, 19}, // Maestro
	{"6304", "6304", 13, 19},
	{"6759", "6759", 13, 19},
	{"6761", "6763", 13, 19},
	{"2200", "2204", 16, 19}, // Mir
	{"5085", "5089", 16, 16},
	{"6069", "6085", 16, 16},
	{"82", "82", 16, 16}, // RuPay
}

// isCard reports whether a number can be a payment card's.
func isCard(number string) bool {
	if len(number) < minCard || len(number) > maxCard || strings.Count(number, number[:1]) == len(number) {
		return false
	}
	for _, is := range issuers {
		if p := number[:len(is.from)]; p >= is.from && p <= is.to && len(number) >= is.min && len(number) <= is.max {
			return luhn(number)
		}
	}
	return false
}

// The lengths of card numbers.
const (
	minCard = 13
	maxCard = 19
)

// isAadhaar: twelve digits, the last of which is Verhoeff's check of the others.
func isAadhaar(n string) bool {
	if len(n) != 12 || n[0] < '2' {
		return false
	}
	c := 0
	for i := range len(n) {
		c = dihedral(c, permuted(i%8, int(n[len(n)-1-i]-'0')))
	}
	return c == 0
}

// dihedral multiplies in the group of a pentagon's symmetries, as Verhoeff's check does.
func dihedral(a, b int) int {
	switch {
	case a < 5 && b < 5:
		return (a + b) % 5
	case a < 5:
		return 5 + (a+b-5)%5
	case b < 5:
		return 5 + (a-5-b+5)%5
	}
	return (a - b + 5) % 5
}

func permuted(times, d int) int {
	for range times {
		d = int("1576283094"[d] - '0')
	}
	return d
}

// isCPF: Brazil, eleven digits, two of them checks.
func isCPF(n string) bool {
	if len(n) != 11 || strings.Count(n, n[:1]) == 11 {
		return false
	}
	for _, k := range []int{9, 10} {
		sum := 0
		for i := range k {
			sum += int(n[i]-'0') * (k + 1 - i)
		}
		if byte('0'+sum*10%11%10) != n[k] {
			return false
		}
	}
	return true
}

// isSteuerID: Germany, eleven digits. Of the first ten one stands two or three times, the others once at most.
func isSteuerID(n string) bool {
	if len(n) != 11 || n[0] == '0' {
		return false
	}
	repeated := 0
	for d := byte('0'); d <= '9'; d++ {
		switch strings.Count(n[:10], string(d)) {
		case 0, 1:
		case 2, 3:
			repeated++
		default:
			return false
		}
	}
	if repeated != 1 {
		return false
	}
	p := 10
	for i := range 10 {
		s := (int(n[i]-'0') + p) % 10
		if s == 0 {
			s = 10
		}
		p = s * 2 % 11
	}
	return byte('0'+(11-p)%10) == n[10]
}

// isSSN: the United States, nine digits; also the taxpayer numbers that begin with 9.
func isSSN(n string) bool {
	if len(n) != 9 || n[3:5] == "00" || n[5:] == "0000" {
		return false
	}
	if n[0] == '9' { // ITIN
		g := n[3:5]
		return g >= "50" && g <= "65" || g >= "70" && g <= "88" || g >= "90" && g <= "92" || g >= "94"
	}
	return n[:3] != "000" && n[:3] != "666"
}

// isSIN: Canada, nine digits; none begins with 0 or 8.
func isSIN(n string) bool { return len(n) == 9 && n[0] != '0' && n[0] != '8' && luhn(n) }

// The rest have letters, in lower case here.

// isNINO: the United Kingdom, two letters, six digits, one letter.
func isNINO(s string) bool {
	if len(s) != 9 || !allIn(s[2:8], "0123456789") || !allIn(s[8:], "abcd") {
		return false
	}
	switch s[:2] {
	case "bg", "gb", "nk", "kn", "tn", "nt", "zz":
		return false
	}
	return allIn(s[:1], "abceghjklmnoprstwxyz") && allIn(s[1:2], "abceghjklmnprstwxyz")
}

// isDNI: Spain, eight digits (or X, Y, Z and seven, for foreigners), and a letter that checks them.
func isDNI(s string) bool {
	if len(s) != 9 {
		return false
	}
	first := strings.IndexByte("xyz", s[0])
	number := s[:8]
	if first >= 0 {
		number = string(byte('0'+first)) + s[1:8]
	}
	if !allIn(number, "0123456789") {
		return false
	}
	return "trwagmyfpdxbnjzsqvhlcke"[remainder(number, 23)] == s[8]
}

// isNIR: France, thirteen digits (Corsica has a letter in them) and two that check them.
func isNIR(s string) bool {
	if len(s) != 15 || !strings.ContainsAny(s[:1], "12") || !allIn(s[7:], "0123456789") {
		return false
	}
	switch month := s[3:5]; {
	case month >= "01" && month <= "12", month >= "20" && month <= "42", month >= "50":
	default:
		return false
	}
	number := s[:13]
	number = strings.Replace(number, "2a", "19", 1)
	number = strings.Replace(number, "2b", "18", 1)
	if !allIn(number, "0123456789") {
		return false
	}
	return 97-remainder(number, 97) == remainder(s[13:], 1000)
}

// isCodiceFiscale: Italy, sixteen letters and digits, the last of which checks the others.
func isCodiceFiscale(s string) bool {
	const digitOrLetter = "0123456789lmnpqrstuv" // letters stand for digits where two people would have the same
	if len(s) != 16 || !allIn(s[:6]+s[11:12]+s[15:], letters) || !allIn(s[6:8]+s[9:11]+s[12:15], digitOrLetter) || !allIn(s[8:9], "abcdehlmprst") {
		return false
	}
	odd := [...]int{1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23}
	sum := 0
	for i := range 15 {
		v := int(s[i] - '0')
		if s[i] >= 'a' {
			v = int(s[i] - 'a')
		}
		if i%2 == 0 {
			v = odd[v]
		}
		sum += v
	}
	return byte('a'+sum%26) == s[15]
}

const letters = "abcdefghijklmnopqrstuvwxyz"

func allIn(s, set string) bool {
	for i := range len(s) {
		if strings.IndexByte(set, s[i]) < 0 {
			return false
		}
	}
	return true
}

// remainder divides a decimal number of any length.
func remainder(number string, by int) int {
	r := 0
	for i := range len(number) {
		r = (r*10 + int(number[i]-'0')) % by
	}
	return r
}

// isIBAN reports whether letters and digits, lower case, are an international bank account number.
func isIBAN(s string) bool {
	if len(s) < 15 || len(s) > 34 || !allIn(s[:2], letters) || !allIn(s[2:4], "0123456789") {
		return false
	}
	var b strings.Builder
	for _, c := range []byte(s[4:] + s[:4]) {
		switch {
		case c >= '0' && c <= '9':
			b.WriteByte(c)
		case c >= 'a' && c <= 'z':
			b.WriteString(strconv.Itoa(int(c-'a') + 10))
		default:
			return false
		}
	}
	return remainder(b.String(), 97) == 1
}
