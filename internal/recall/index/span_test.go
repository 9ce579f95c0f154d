package index_test

import (
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/index"
)

// auckland is half a day ahead of UTC: most of a working day there is the day before elsewhere.
func auckland(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Pacific/Auckland")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// visits is a caller's week: the same words, said at each of the times.
func visits(at ...string) recaller.Corpus {
	c := recaller.Corpus{Turns: map[recaller.ConversationID][]recaller.Turn{}}
	for _, when := range at {
		began, err := time.Parse(time.RFC3339, when)
		if err != nil {
			panic(err)
		}
		id := recaller.ConversationID(when)
		c.Conversations = append(c.Conversations, recaller.Conversation{ID: id, StartedAt: began})
		c.Turns[id] = []recaller.Turn{{ID: "t", Speaker: recaller.User, Text: "The gardener came to see us.", At: began}}
	}
	return c
}

// In UTC, where all times are kept, the evening of Tuesday is still Tuesday when Wednesday begins in Auckland, and
// Tuesday morning is Monday.
func TestDaysAreTheCallers(t *testing.T) {
	t.Parallel()
	const monday, tuesday, wednesday = "2026-03-02T02:00:00Z", "2026-03-03T07:00:00Z", "2026-03-03T18:30:00Z"
	c := visits(monday, tuesday, wednesday)
	c.Zone = auckland(t)
	asked := time.Date(2026, time.March, 3, 19, 0, 0, 0, time.UTC) // eight in the morning of Wednesday
	var pool index.Pool
	for query, want := range map[string]struct {
		found, from, until string
	}{
		"What did the gardener say yesterday?":                   {tuesday, "2026-03-03T00:00:00+13:00", "2026-03-04T00:00:00+13:00"},
		"What did the gardener say today?":                       {wednesday, "2026-03-04T00:00:00+13:00", "2026-03-05T00:00:00+13:00"},
		"What did the gardener say the day before yesterday?":    {monday, "2026-03-02T00:00:00+13:00", "2026-03-03T00:00:00+13:00"},
		"What did the gardener say at the beginning, on Monday?": {monday, "2026-03-02T00:00:00+13:00", "2026-03-03T00:00:00+13:00"},
	} {
		hits := index.Build(c, index.DefaultWeights()).Search(index.Query{Text: query, Limit: 3, Now: asked, Explain: true}, &pool)
		if len(hits) != 3 || string(hits[0].Conversation) != want.found {
			t.Errorf("%s: got %d hits, the first from %s; want that from %s", query, len(hits), hits[0].Conversation, want.found)
			continue
		}
		times := hits[0].Why.Times
		if len(times) != 1 || times[0].From.Format(time.RFC3339) != want.from || times[0].Until.Format(time.RFC3339) != want.until || times[0].Days != 0 {
			t.Errorf("%s: got %+v, want from %s until %s, and the first of the hits then", query, times, want.from, want.until)
		}
	}
}

func TestANamedDateIsOneOfTheCallersDays(t *testing.T) {
	t.Parallel()
	const march2, march3 = "2026-03-02T02:00:00Z", "2026-03-02T12:00:00Z" // in Auckland; in UTC both are 2 March
	c := visits(march2, march3)
	c.Zone = auckland(t)
	var pool index.Pool
	hits := index.Build(c, index.DefaultWeights()).Search(index.Query{Text: "the gardener on March 2nd", Limit: 2}, &pool)
	if len(hits) != 2 || hits[0].Conversation != march2 {
		t.Errorf("got %+v, want first what was said on 2 March in Auckland", hits)
	}
}

func TestWithoutAZoneDaysAreThoseOfEachTime(t *testing.T) {
	t.Parallel()
	const march3, march2 = "2026-03-03T00:30:00+13:00", "2026-03-02T23:30:00-08:00" // where they were said; in UTC it is the other way round
	c := visits(march3, march2)
	var pool index.Pool
	asked := time.Date(2026, time.March, 4, 14, 0, 0, 0, time.FixedZone("", 13*60*60))
	hits := index.Build(c, index.DefaultWeights()).Search(index.Query{Text: "the gardener, yesterday", Limit: 2, Now: asked}, &pool)
	if len(hits) != 2 || hits[0].Conversation != march3 {
		t.Errorf("got %+v, want first what was said on 3 March where it was said", hits)
	}
}

func TestAnotherZoneIsAnotherIndex(t *testing.T) {
	t.Parallel()
	if index.Build(talk("hello"), index.DefaultWeights()).Apply(recaller.Change{Zone: true}) {
		t.Error("a change of the zone was taken in, though every day may be another")
	}
}
