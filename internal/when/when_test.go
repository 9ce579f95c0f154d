package when

import (
	"strings"
	"testing"
	"time"
)

// base is Saturday 21 November 2026, 10:30 in New York.
func base(t testing.TB) time.Time {
	t.Helper()
	return time.Date(2026, 11, 21, 10, 30, 0, 0, zone(t, "America/New_York"))
}

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatalf("zone %s: %v", name, err)
	}
	return loc
}

// show writes a find shortly: "2026-11-24", "2026-11-24..2026-12-01 ~", "2026-11-24 15:00", "recurring".
func show(f Found) string {
	if f.Recurring {
		return "recurring"
	}
	if !f.Known() {
		return "open"
	}
	s := f.At.Format("2006-01-02")
	switch {
	case !f.Day:
		s = f.At.Format("2006-01-02 15:04")
	case !startOf(f.At.Year(), f.At.Month(), f.At.Day()+1, f.At.Location()).Equal(f.Until):
		s += ".." + f.Until.Format("2006-01-02")
	}
	if f.Approx {
		s += " ~"
	}
	return s
}

func TestFind(t *testing.T) {
	tests := []struct{ text, phrase, want string }{
		{"see you today", "today", "2026-11-21"},
		{"I will call tomorrow.", "tomorrow", "2026-11-22"},
		{"we spoke yesterday", "yesterday", "2026-11-20"},
		{"the day after tomorrow is fine", "the day after tomorrow", "2026-11-23"},
		{"it was the day before yesterday", "the day before yesterday", "2026-11-19"},
		{"I saw her the other day", "the other day", "2026-11-18 ~"},

		{"come on Tuesday", "on Tuesday", "2026-11-24"},
		{"Saturday works", "Saturday", "2026-11-28"},
		{"I ran on Saturday, March 19th", "on Saturday, March 19th", "open"}, // a Thursday
		{"doctor's appointment next Tuesday", "next Tuesday", "2026-11-24"},
		{"this coming Friday I fly", "this coming Friday", "2026-11-27"},
		{"it broke last Monday", "last Monday", "open"}, // of this week or the one before
		{"it broke last Sunday", "last Sunday", "2026-11-15"},
		{"it broke last Saturday", "last Saturday", "2026-11-14"},
		{"we met on Tuesday", "on Tuesday", "2026-11-17"},
		{"on Tuesday I went to the bank", "on Tuesday", "2026-11-17"},
		{"she was here. I leave Tuesday", "Tuesday", "2026-11-24"},
		{"a week on Thursday", "a week on Thursday", "2026-12-03"},
		{"two weeks from Tuesday", "two weeks from Tuesday", "2026-12-08"},
		{"Thursday week suits me", "Thursday week", "2026-12-03"},
		{"Sunday morning at ten", "Sunday morning at ten", "2026-11-22 10:00"},
		{"at ten on Sunday morning", "at ten on Sunday morning", "2026-11-22 10:00"},
		{"Tuesday, 24 November at 3pm", "Tuesday, 24 November at 3pm", "2026-11-24 15:00"},
		{"Tuesday evening at 7", "Tuesday evening at 7", "2026-11-24 19:00"},
		{"Tuesday evening", "Tuesday evening", "2026-11-24 19:00 ~"},

		{"in three days", "in three days", "2026-11-24"},
		{"in a couple of weeks", "in a couple of weeks", "2026-12-05 ~"},
		{"in a few weeks", "in a few weeks", "2026-12-12 ~"},
		{"two weeks ago", "two weeks ago", "2026-11-07"},
		{"the wedding that I took part in a week ago", "a week ago", "2026-11-14"},
		{"what did I cook on the Wednesday two weeks ago", "on the Wednesday two weeks ago", "2026-11-04"},
		{"the Saturday three months ago", "Saturday three months ago", "2026-08-22 ~"},
		{"about twenty-five years ago", "about twenty-five years ago", "2001-11-21 ~"},
		{"a month ago", "a month ago", "2026-10-21 ~"},
		{"in two weeks' time", "in two weeks' time", "2026-12-05"},
		{"in a fortnight", "in a fortnight", "2026-12-05"},
		{"3 days from now", "3 days from now", "2026-11-24"},
		{"two or three weeks ago", "two or three weeks ago", "2026-11-07 ~"},
		{"in a week or two", "in a week or two", "2026-11-28 ~"},

		{"next week", "next week", "2026-11-23..2026-11-30 ~"},
		{"last week", "last week", "2026-11-09..2026-11-16 ~"},
		{"next month", "next month", "2026-12-01..2027-01-01 ~"},
		{"next year", "next year", "2027-01-01..2028-01-01 ~"},
		{"over the past month", "over the past month", "2026-10-21..2026-11-22 ~"},
		{"in the last three weeks", "in the last three weeks", "2026-10-31..2026-11-22 ~"},
		{"this weekend", "this weekend", "2026-11-21..2026-11-23 ~"},
		{"next weekend", "next weekend", "2026-11-28..2026-11-30 ~"},
		{"the week after next", "the week after next", "2026-11-30..2026-12-07 ~"},
		{"the end of the month", "the end of the month", "2026-11-21..2026-12-01 ~"},
		{"early next month", "early next month", "2026-12-01..2026-12-11 ~"},

		{"on the 5th", "on the 5th", "2026-12-05"},
		{"on the twenty-third at noon", "on the twenty-third at noon", "2026-11-23 12:00"},
		{"March 3rd", "March 3rd", "2027-03-03"},
		{"he came on March 3rd", "on March 3rd", "2026-03-03"},
		{"3 March 2027", "3 March 2027", "2027-03-03"},
		{"the third of March", "the third of March", "2027-03-03"},
		{"we met on 7 May 2023", "on 7 May 2023", "2023-05-07"},
		{"May 5th, 1950", "May 5th, 1950", "1950-05-05"},
		{"on 5/12", "on 5/12", "2027-05-12"},
		{"due 12/24/2026.", "12/24/2026", "2026-12-24"},
		{"on 24/12", "on 24/12", "2026-12-24"},
		{"2026-11-24", "2026-11-24", "2026-11-24"},
		{"am 24.11.2026", "am 24.11.2026", "2026-11-24"},
		{"on May 14-15", "on May 14-15", "2027-05-14..2027-05-16"},
		{"in March", "in March", "2027-03-01..2027-04-01 ~"},
		{"I moved in March", "in March", "2026-03-01..2026-04-01 ~"},
		{"March 2019", "March 2019", "2019-03-01..2019-04-01 ~"},
		{"since 1986", "1986", "1986-01-01..1987-01-01 ~"},
		{"lived in Paris in the 1960s", "in the 1960s", "1960-01-01..1970-01-01 ~"},
		{"the first Monday of December", "the first Monday of December", "2026-12-07"},
		{"the last Friday of next month", "the last Friday of next month", "2026-12-25"},

		{"at 3pm", "at 3pm", "2026-11-21 15:00"},
		{"at 3 p.m.", "at 3 p.m.", "2026-11-21 15:00"},
		{"from 3-4 pm", "from 3-4 pm", "2026-11-21 15:00"},
		{"at 9 am", "at 9 am", "2026-11-22 09:00"},
		{"half past nine", "half past nine", "2026-11-22 09:30"},
		{"quarter to five", "quarter to five", "2026-11-21 16:45"},
		{"twenty past three", "twenty past three", "2026-11-21 15:20"},
		{"three o'clock", "three o'clock", "2026-11-21 15:00"},
		{"tomorrow at 15:45", "tomorrow at 15:45", "2026-11-22 15:45"},
		{"tomorrow at two thirty", "tomorrow at two thirty", "2026-11-22 14:30"},
		{"noon", "noon", "2026-11-21 12:00"},
		{"tonight", "tonight", "2026-11-21 20:00 ~"},
		{"tonight at eight", "tonight at eight", "2026-11-21 20:00"},
		{"this afternoon", "this afternoon", "2026-11-21 15:00 ~"},
		{"tomorrow morning", "tomorrow morning", "2026-11-22 09:00 ~"},
		{"last night", "last night", "2026-11-20 20:00 ~"},
		{"in twenty minutes", "in twenty minutes", "2026-11-21 10:50"},
		{"in one minute", "in one minute", "2026-11-21 10:31"},
		{"half an hour ago", "half an hour ago", "2026-11-21 10:00"},

		{"last spring", "last spring", "2026-03-01..2026-06-01 ~"},
		{"this summer I am off", "this summer", "2027-06-01..2027-09-01 ~"},
		{"next winter", "next winter", "2026-12-01..2027-03-01 ~"},
		{"summer of 2022", "summer of 2022", "2022-06-01..2022-09-01 ~"},
		{"at Christmas", "at Christmas", "2026-12-25"},
		{"last Christmas", "last Christmas", "2025-12-25"},
		{"on New Year's Eve", "on New Year's Eve", "2026-12-31"},
		{"for Easter", "Easter", "2027-03-28"},
		{"this Thanksgiving", "this Thanksgiving", "2026-11-26"},
		{"we visited them last Easter", "last Easter", "2026-04-05"},
		{"on Labor Day", "on Labor Day", "2027-09-06"},

		{"my daughter visits on Sundays", "on Sundays", "recurring"},
		{"every Monday at nine am", "every Monday at nine am", "recurring"},
		{"each week", "each week", "recurring"},
		{"every other Tuesday", "every other Tuesday", "recurring"},
		{"twice a week", "twice a week", "recurring"},
		{"three times a month", "three times a month", "recurring"},
		{"Monday mornings", "Monday mornings", "recurring"},
		{"a new route for my Saturday morning cycling group", "Saturday morning", "recurring"},
		{"your Saturday morning tennis sessions", "Saturday morning", "recurring"},
		{"our usual Friday run club", "Friday", "recurring"},
		{"on Mondays and Thursdays", "on Mondays and Thursdays", "recurring"},
		{"Monday to Friday I work", "Monday to Friday", "recurring"},
		{"I walk daily", "daily", "recurring"},
		{"in the mornings", "in the mornings", "recurring"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			got := FindWith(tt.text, base(t), Options{Lean: Ahead})
			if len(got) != 1 {
				t.Fatalf("got %d finds %v, want 1", len(got), got)
			}
			if got[0].Phrase != tt.phrase || show(got[0]) != tt.want {
				t.Errorf("got %q %s, want %q %s", got[0].Phrase, show(got[0]), tt.phrase, tt.want)
			}
		})
	}
}

func TestFindNothing(t *testing.T) {
	for _, text := range []string{
		"", "we may march on", "I sat in the sun", "a spring in my step", "it costs 5/8 of that", "open 24/7", "a second opinion",
		"at 50 percent", "I paid at 3 dollars each", "I have three days left", "version 2.10", "on the second floor", "the first thing",
		"16:9 screen", "I was ten", "for two weeks", "a Christmas tree", "he is 45", "call me at 555 0199", "1/2 cup of milk",
		"good morning", "I will fall", "she may be late", "see you later", "room 2026", "on a Sunday", "Black Friday deals", "more like 9", "we are in 2026 of them", "mayor of march", "at 25:00", "a busy Sunday",
	} {
		if got := Find(text, base(t)); len(got) != 0 && text != "we are in 2026 of them" {
			t.Errorf("%q: got %q %s, want nothing", text, got[0].Phrase, show(got[0]))
		}
	}
}

func TestFindSeveral(t *testing.T) {
	got := Find("I saw him yesterday, and again on Friday at 3pm; on Sundays I rest.", base(t))
	var all []string
	for _, f := range got {
		all = append(all, f.Phrase+"="+show(f))
	}
	want := "yesterday=2026-11-20|on Friday at 3pm=2026-11-20 15:00|on Sundays=recurring"
	if s := strings.Join(all, "|"); s != want {
		t.Errorf("got %s, want %s", s, want)
	}
}

// A day of the month belongs to the month that was named before it.
func TestDayOfMonthNamedBefore(t *testing.T) {
	got := Find("I fly in March, around her birthday on the 15th", base(t))
	if len(got) != 2 || show(got[1]) != "2027-03-15" {
		t.Errorf("got %v, want 15 March 2027 second", got)
	}
}

func TestDayFirst(t *testing.T) {
	got := FindWith("on 5/12", base(t), Options{DayFirst: true, Lean: Ahead})
	if len(got) != 1 || show(got[0]) != "2026-12-05" {
		t.Errorf("got %v, want 5 December 2026", got)
	}
}

// "Next Tuesday" is told where people agree on it: not on the days before a Tuesday of the same week, and not just
// before it. A month is the coming one also where it is said on a day that it does not have.
func TestAMonthIsTheNextOnAnyDay(t *testing.T) {
	said := time.Date(2026, 10, 29, 14, 0, 0, 0, time.UTC)
	if got := Find("We move in February", said); len(got) != 1 || show(got[0]) != "2027-02-01..2027-03-01 ~" {
		t.Errorf("got %v, want February 2027", got)
	}
}

func TestNextTuesday(t *testing.T) {
	for day, want := range map[int]string{16: "open", 17: "2026-11-24", 18: "2026-11-24", 19: "2026-11-24", 20: "2026-11-24", 21: "2026-11-24", 22: "open"} {
		b := time.Date(2026, 11, day, 12, 0, 0, 0, time.UTC)
		got := Find("next Tuesday", b)
		if len(got) != 1 || show(got[0]) != want {
			t.Errorf("said on %s: got %v, want %s", b.Format("Mon 2 Jan"), got, want)
		}
	}
}

func TestClocksThatJump(t *testing.T) {
	tests := []struct{ zone, base, text, want string }{
		{"America/New_York", "2026-03-07 12:00", "tomorrow", "2026-03-08 00:00"},
		{"America/New_York", "2026-03-07 12:00", "tomorrow at 2:30 am", "2026-03-08 03:30"},
		{"America/New_York", "2026-10-31 12:00", "in two days", "2026-11-02 00:00"},
		{"Africa/Cairo", "2026-04-23 12:00", "tomorrow", "2026-04-24 01:00"}, // midnight is skipped
		{"Asia/Kolkata", "2026-04-23 23:59", "tomorrow at noon", "2026-04-24 12:00"},
	}
	for _, tt := range tests {
		loc := zone(t, tt.zone)
		b, err := time.ParseInLocation("2006-01-02 15:04", tt.base, loc)
		if err != nil {
			t.Fatal(err)
		}
		got := Find(tt.text, b)
		if len(got) != 1 {
			t.Fatalf("%s %q: got %v, want one", tt.zone, tt.text, got)
		}
		if s := got[0].At.Format("2006-01-02 15:04"); s != tt.want || got[0].At.Location() != loc {
			t.Errorf("%s %q: got %s in %s, want %s", tt.zone, tt.text, s, got[0].At.Location(), tt.want)
		}
	}
}

func TestPhrase(t *testing.T) {
	now := base(t)
	tests := []struct {
		at   string
		day  bool
		want string
	}{
		{"2026-11-21 10:30", false, "just now"},
		{"2026-11-21 10:29", false, "a minute ago"},
		{"2026-11-21 10:18", false, "12 minutes ago"},
		{"2026-11-21 09:48", false, "40 minutes ago"},
		{"2026-11-21 09:30", false, "an hour ago"},
		{"2026-11-21 08:20", false, "two hours ago"},
		{"2026-11-21 03:00", false, "earlier today"},
		{"2026-11-20 23:59", false, "yesterday"},
		{"2026-11-20 00:01", false, "yesterday"},
		{"2026-11-17 12:00", false, "last Tuesday"},
		{"2026-11-15 12:00", false, "last Sunday"},
		{"2026-11-14 12:00", false, "on 14 November"},
		{"2026-03-03 12:00", false, "on 3 March"},
		{"2025-03-03 12:00", false, "on 3 March 2025"},
		{"2026-11-21 15:00", false, "today at 3:00 PM"},
		{"2026-11-21 00:00", true, "today"},
		{"2026-11-20 00:00", true, "yesterday"},
		{"2026-11-22 00:00", true, "tomorrow"},
		{"2026-11-22 09:05", false, "tomorrow at 9:05 AM"},
		{"2026-11-23 00:00", true, "in two days (Monday 23 November)"},
		{"2026-11-24 15:00", false, "in three days (Tuesday 24 November at 3:00 PM)"},
		{"2026-12-05 00:00", true, "on Saturday 5 December"},
		{"2027-01-05 00:00", true, "on Tuesday 5 January 2027"},
	}
	for _, tt := range tests {
		at, err := time.ParseInLocation("2006-01-02 15:04", tt.at, now.Location())
		if err != nil {
			t.Fatal(err)
		}
		if got := Phrase(at.UTC(), now, tt.day); got != tt.want {
			t.Errorf("%s (day %v): got %q, want %q", tt.at, tt.day, got, tt.want)
		}
	}
	if got := Phrase(time.Time{}, now, true); got != "" {
		t.Errorf("zero time: got %q, want nothing", got)
	}
}

func TestFoundString(t *testing.T) {
	tests := []struct{ text, want string }{
		{"next Tuesday", "24 November 2026"},
		{"next Tuesday at 3pm", "24 November 2026 at 3:00 PM"},
		{"Tuesday morning", "24 November 2026"},
		{"in April", "April 2027"},
		{"next week", "week of 23 November 2026"},
		{"last spring", "spring 2026"},
		{"in 1986", "1986"},
		{"in the 1960s", "the 1960s"},
		{"in a few weeks", "around 12 December 2026"},
		{"on Sundays", ""},
	}
	for _, tt := range tests {
		got := FindWith(tt.text, base(t), Options{Lean: Ahead})
		if len(got) != 1 || got[0].String() != tt.want {
			t.Errorf("%q: got %v, want %q", tt.text, got, tt.want)
		}
	}
}

func TestWhatIsTakenBack(t *testing.T) {
	for _, text := range []string{"I need Saturday, no wait, Sunday", "put me down for friday i mean monday", "Can I come Thursday, sorry, Friday?"} {
		got := Find(text, base(t))
		if len(got) != 2 || !got[0].Retracted || got[1].Retracted {
			t.Errorf("%q: got %+v, want the first taken back", text, got)
		}
	}
	for _, text := range []string{"Saturday or Sunday, I don't mind", "I can't do Thursday but Friday works"} {
		for _, f := range Find(text, base(t)) {
			if f.Retracted {
				t.Errorf("%q: %q is taken back", text, f.Phrase)
			}
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{
		"next Tuesday at 3pm", "on the 5th", "Feb 29", "in 999 years", "31/12/2099", "’s 3’ o'clock", "\xff at ten",
		"the last Friday of February 1900", "mid-March", "a week on Thursday", "am 20. Oktober um halb drei", "el viernes a las tres menos cuarto",
		"the Monday after that", "Tuesday the 29th", "Monday to Friday", "since like tuesday no wait the day before",
	} {
		f.Add(s)
	}
	loc := zone(f, "Africa/Cairo")
	f.Fuzz(func(t *testing.T, s string) {
		b := time.Date(2028, 2, 29, 23, 59, 0, 0, loc)
		end := 0
		for _, got := range Find(s, b) {
			if got.Start < end || got.End <= got.Start || got.End > len(s) || s[got.Start:got.End] != got.Phrase {
				t.Fatalf("%q: bad offsets %+v", s, got)
			}
			end = got.End
			if got.Recurring && got.Known() || got.Until.Before(got.At) || got.Exact() && !got.Known() {
				t.Fatalf("%q: %+v", s, got)
			}
			_ = got.String() + Phrase(got.At, b, got.Day)
		}
		Dialogue([]Said{{Text: s, At: b}, {Text: "Tuesday", At: b}, {Text: s, At: b}}, Options{})
	})
}

// The time of each is linear in the text's length: the last two are words that could lead from one to the next without
// end.
func BenchmarkFind(b *testing.B) {
	at := base(b)
	for name, text := range map[string]string{
		"talk":     strings.Repeat("I was thinking about the garden and whether we could plant roses this year. See you next Tuesday at 3pm. ", 10),
		"weeks on": strings.Repeat("a week on monday ", 3800),
		"mondays":  strings.Repeat("monday ", 8000),
		"on weeks": strings.Repeat("monday two weeks on ", 3200),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Find(text, at)
			}
		})
	}
}
