package index

import (
	"slices"
	"strconv"
	"time"

	"github.com/recallerhq/recaller/internal/when"
)

// date is a day, or a part of one, that a query names. Zero fields are open.
type date struct {
	year, month, day int
	weekday          time.Weekday
	anyWeekday       bool
}

// matches reports whether a day fits.
func (d date) matches(year int, month time.Month, day int, wd time.Weekday) bool {
	return (d.year == 0 || d.year == year) && (d.month == 0 || d.month == int(month)) &&
		(d.day == 0 || d.day == day) && (d.anyWeekday || d.weekday == wd)
}

// dates finds the dates that a query names: "2023-05-20", "May 20th", "5 May 2023", "in May", "2023", "Saturday".
func dates(words []queryWord) []date {
	var found []date
	for i := 0; i < len(words) && len(found) < maxTimes; i++ {
		d := date{anyWeekday: true}
		used := 0
		switch {
		case isoDate(words[i:], &d):
			used = 3
		case monthOf(words, i) > 0:
			d.month = monthOf(words, i)
			used = 1
			rest := words[i+1:]
			if len(rest) > 0 && dayOfMonth(rest[0].folded) > 0 {
				d.day = dayOfMonth(rest[0].folded)
				used++
				rest = rest[1:]
			} else if i > 0 && dayOfMonth(words[i-1].folded) > 0 {
				d.day = dayOfMonth(words[i-1].folded)
			} else if i > 1 && words[i-1].folded == "of" && dayOfMonth(words[i-2].folded) > 0 {
				d.day = dayOfMonth(words[i-2].folded)
			}
			if len(rest) > 0 && yearOf(rest[0].folded) > 0 {
				d.year = yearOf(rest[0].folded)
				used++
			}
		case yearOf(words[i].folded) > 0:
			d.year = yearOf(words[i].folded)
			used = 1
		default:
			wd, ok := when.Weekday(words[i].folded)
			if !ok {
				continue
			}
			d.weekday, d.anyWeekday = wd, false
			used = 1
		}
		if !slices.Contains(found, d) {
			found = append(found, d)
		}
		i += used - 1
	}
	return found
}

// isoDate reads "2023-05-20" or "2023/5/20", which the scanner gives as three numbers.
func isoDate(words []queryWord, d *date) bool {
	if len(words) < 3 || yearOf(words[0].folded) == 0 {
		return false
	}
	month, err := strconv.Atoi(words[1].folded)
	if err != nil || month < 1 || month > 12 {
		return false
	}
	day := dayOfMonth(words[2].folded)
	if day == 0 {
		return false
	}
	d.year, d.month, d.day = yearOf(words[0].folded), month, day
	return true
}

// monthOf returns the month that words[i] names, 0 for none. "May" and "March" are only months where they are written
// so.
func monthOf(words []queryWord, i int) int {
	w := words[i]
	switch w.folded {
	case "may", "march", "mar":
		before := i > 0 && (words[i-1].folded == "in" || words[i-1].folded == "since" || dayOfMonth(words[i-1].folded) > 0)
		after := i+1 < len(words) && (dayOfMonth(words[i+1].folded) > 0 || yearOf(words[i+1].folded) > 0)
		if !before && !after && (!w.capital || i == 0) {
			return 0
		}
	}
	return int(when.Month(w.folded))
}

// yearOf returns the year that w is, 0 for none.
func yearOf(w string) int {
	if len(w) != 4 || (w[:2] != "19" && w[:2] != "20") {
		return 0
	}
	n, err := strconv.Atoi(w)
	if err != nil {
		return 0
	}
	return n
}

// dayOfMonth returns the day that w is ("5", "05", "5th"), 0 for none.
func dayOfMonth(w string) int {
	if len(w) > 2 {
		switch w[len(w)-2:] {
		case "st", "nd", "rd", "th":
			w = w[:len(w)-2]
		}
	}
	if len(w) == 0 || len(w) > 2 {
		return 0
	}
	n, err := strconv.Atoi(w)
	if err != nil || n < 1 || n > 31 {
		return 0
	}
	return n
}
