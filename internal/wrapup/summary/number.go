package summary

import (
	"strconv"
	"strings"
)

var numberUnits = map[string]int{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
	"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
	"seventeen": 17, "eighteen": 18, "nineteen": 19,
	"twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

func isNumberWord(low string) bool {
	if low == "" {
		return false
	}
	_, ok := numberUnits[low]
	return ok || low == "hundred" || low == "thousand" || low == "million" || (low[0] >= '0' && low[0] <= '9')
}

// maskedDigits is the shortest run of digits that may be a card number, which no summary spells out.
const maskedDigits = 13

// spokenNumbers writes number words as figures where a person would: amounts, times, years, numbers that are read out.
// Small numbers by themselves stay words.
func spokenNumbers(in []word) []word {
	out := make([]word, 0, len(in))
	for i := 0; i < len(in); {
		n, figure := numberAt(in, i)
		if n == 0 {
			out = append(out, maskCard(in[i]))
			i++
			continue
		}
		w := word{text: figure, comma: in[i+n-1].comma}
		i += n
		i, w = withUnit(in, i, w)
		w.low = strings.ToLower(w.text)
		out = append(out, maskCard(w))
	}
	return out
}

func maskCard(w word) word {
	digits := 0
	for _, r := range w.text {
		if r >= '0' && r <= '9' {
			digits++
		} else if r != '-' {
			return w
		}
	}
	if digits < maskedDigits {
		return w
	}
	plain := strings.ReplaceAll(w.text, "-", "")
	return word{text: "…" + plain[len(plain)-4:], low: plain[len(plain)-4:], comma: w.comma}
}

// numberAt reads the number words from i. It returns how many it took and the figure, or 0.
func numberAt(in []word, i int) (int, string) {
	run := numberRun(in, i)
	if run == 0 {
		return 0, ""
	}
	groups, single := readGroups(in[i : i+run])
	scaled := hasScale(in[i : i+run])
	switch {
	case single && len(groups) >= 3:
		return run, spacedDigits(groups)
	case single && len(groups) > 1:
		return 0, ""
	case len(groups) == 1 && groups[0] < 10 && !scaled:
		return oneDigit(in, i, run, groups[0])
	}
	var b strings.Builder
	for _, g := range groups {
		b.WriteString(strconv.Itoa(g))
	}
	return run, b.String()
}

// oneDigit turns a small number into a figure only where money or a time of day follows.
func oneDigit(in []word, i, run, n int) (int, string) {
	if i+run < len(in) {
		switch in[i+run].low {
		case "dollars", "dollar", "pounds", "percent", "am", "pm", "a.m.", "p.m.", "o'clock", "a", "p":
			if j, w := withUnit(in, i+run, word{text: strconv.Itoa(n)}); j > i+run && w.text != "" {
				return run, strconv.Itoa(n)
			}
		}
	}
	return 0, ""
}

func hasScale(ws []word) bool {
	for _, w := range ws {
		if w.low == "hundred" || w.low == "thousand" || w.low == "million" {
			return true
		}
	}
	return false
}

// numberRun counts the words from i that form one number, "and" and "a" included where they belong to it.
func numberRun(in []word, i int) int {
	n := 0
	for i+n < len(in) {
		low := in[i+n].low
		_, unit := numberUnits[low]
		scale := low == "hundred" || low == "thousand" || low == "million"
		joins := low == "and" && n > 0 && isScale(in[i+n-1].low) && i+n+1 < len(in) && isUnit(in[i+n+1].low)
		article := low == "a" && n == 0 && i+1 < len(in) && (in[i+1].low == "hundred" || in[i+1].low == "thousand")
		oh := (low == "oh" || low == "o") && n > 0 && i+n+1 < len(in) && isUnit(in[i+n+1].low)
		if !unit && !joins && !article && !oh && (!scale || n == 0) {
			break
		}
		n++
		if in[i+n-1].comma && !isDigitWord(low) {
			break
		}
	}
	return n
}

func isScale(low string) bool { return low == "hundred" || low == "thousand" || low == "million" }

func isUnit(low string) bool { _, ok := numberUnits[low]; return ok }

func isDigitWord(low string) bool { n, ok := numberUnits[low]; return ok && n < 10 }

// readGroups reads number words as the numbers that are said one after the other: "seven forty two" is 7 and 42,
// "one hundred and thirty five" is 135. single is true if all are single digits.
func readGroups(ws []word) (groups []int, single bool) {
	const none = -1
	total, cur := 0, none
	single = true
	flush := func() {
		if cur != none || total > 0 {
			groups = append(groups, total+max(cur, 0))
		}
		total, cur = 0, none
	}
	for _, w := range ws {
		switch {
		case w.low == "and":
		case w.low == "a":
			cur, single = 1, false
		case w.low == "hundred":
			cur, single = max(cur, 1)*100, false
		case w.low == "thousand" || w.low == "million":
			scale := 1000
			if w.low == "million" {
				scale = 1000_000
			}
			total, cur, single = total+max(cur, 1)*scale, none, false
		default:
			n := numberUnits[w.low]
			if n >= 10 {
				single = false
			}
			fits := cur == none || (cur >= 100 && cur%100 == 0 && n < 100) || (cur >= 20 && cur%10 == 0 && cur%100 != 0 && n > 0 && n < 10)
			if !fits {
				flush()
			}
			cur = max(cur, 0) + n
		}
	}
	flush()
	return groups, single
}

// unspell takes back the spelling of a word: "main that's m a i n" is "main", and "j o h n" is "John".
func unspell(in []word) []word {
	out := make([]word, 0, len(in))
	for i := 0; i < len(in); {
		n := 0
		var b strings.Builder
		for i+n < len(in) && len(in[i+n].low) == 1 && in[i+n].low[0] >= 'a' && in[i+n].low[0] <= 'z' {
			b.WriteString(in[i+n].low)
			n++
		}
		if n < 3 {
			out = append(out, in[i])
			i++
			continue
		}
		if at := spelled(out, b.String()); at > 0 {
			out = out[:at]
			out[at-1].comma = true
		} else {
			out = append(out, word{text: capital(b.String()), low: b.String(), comma: in[i+n-1].comma})
		}
		i += n
	}
	return out
}

// spelled returns the place after the word among the last ones that the letters spell, 0 if there is none.
func spelled(before []word, letters string) int {
	for k := len(before) - 1; k >= max(0, len(before)-4); k-- {
		if before[k].low == letters {
			return k + 1
		}
	}
	return 0
}

// spacedDigits writes digits that were read out, ten of them as a telephone number.
func spacedDigits(groups []int) string {
	var b strings.Builder
	for i, g := range groups {
		if len(groups) == 10 && (i == 3 || i == 6) {
			b.WriteByte('-')
		}
		b.WriteString(strconv.Itoa(g))
	}
	return b.String()
}

// withUnit takes up the unit after a number: dollars, percent, a.m., o'clock. It returns the place after it.
func withUnit(in []word, i int, w word) (int, word) {
	if i >= len(in) || w.comma {
		return i, w
	}
	low := in[i].low
	half := ""
	n := 1
	switch {
	case low == "dollars" || low == "dollar":
		w.text, w.comma = "$"+w.text, in[i].comma
		return i + 1, w
	case low == "percent":
		w.text, w.comma = w.text+"%", in[i].comma
		return i + 1, w
	case low == "am" || low == "a.m." || low == "pm" || low == "p.m.":
		half = low[:1] + "m"
	case (low == "a" || low == "p") && i+1 < len(in) && in[i+1].low == "m":
		half, n = low+"m", 2
	case low == "o'clock":
		half = "o'clock"
	default:
		return i, w
	}
	w.text, w.comma = clock(w.text)+" "+half, in[i+n-1].comma
	return i + n, w
}

// clock writes 345 as 3:45.
func clock(figure string) string {
	if len(figure) == 3 || len(figure) == 4 {
		return figure[:len(figure)-2] + ":" + figure[len(figure)-2:]
	}
	return figure
}
