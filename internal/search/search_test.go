package search_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/search"
)

func TestConversationsAreFoundByWordsAndByMeaning(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	labels := recaller.Analysis{Intent: "event", Sentiment: "neutral", Outcome: "booked", By: "rules"}
	wedding := h.told(past{brief: "The caller asked about a wedding.", words: []string{"Hi.", "We plan our wedding in June.", "Sixty guests."}, labels: labels})
	meant := h.told(past{brief: "The bride called.", words: []string{"I am the bride."}, phone: "+12125550124"})
	h.told(past{brief: "A lesson was cancelled.", words: []string{"I cannot come to my golf lesson."}})
	r, err := h.service.Search(h.ctx, golf, search.Query{Text: "wedding inquiries"})
	h.ok(err)
	if got := ids(r.Found); !slices.Equal(got, []recaller.ConversationID{wedding.ID, meant.ID}) {
		t.Fatalf("got %v, want the one that says it before the one that means it, and no other", got)
	}
	first := r.Found[0]
	if first.Conversation.Summary.Brief != "The caller asked about a wedding." || first.Conversation.Analysis.Intent != "event" || first.Conversation.Caller != wedding.Caller {
		t.Errorf("got %+v, want the conversation with its write-up", first.Conversation)
	}
	if first.Excerpt != "We plan our wedding in June.\nSixty guests." {
		t.Errorf("got the excerpt %q, want the turn that fits and what follows", first.Excerpt)
	}
	if second := r.Found[1]; second.Excerpt != "I am the bride." || second.Similarity <= 0 || second.Similarity > 1 || first.Score <= second.Score {
		t.Errorf("got %+v after %+v", second, first)
	}
	if r.Degraded != "" || h.counted("recaller_searches_total")["found"] != 1 {
		t.Errorf("got %q, counted %v; want a whole answer", r.Degraded, h.counted("recaller_searches_total"))
	}
}

func TestWordsAloneAnswerWhileTheEmbedderIsAway(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	wedding := h.told(past{words: []string{"We plan our wedding."}})
	h.told(past{words: []string{"I am the bride."}})
	h.embedder.Before("Embed", away)
	r, err := h.service.Search(h.ctx, golf, search.Query{Text: "wedding"})
	h.ok(err)
	if got := ids(r.Found); !slices.Equal(got, []recaller.ConversationID{wedding.ID}) || r.Degraded != search.DegradedEmbedder {
		t.Errorf("got %v, degraded %q; want the one that says it, and why no more", got, r.Degraded)
	}
	h.embedder.Clear()
	if r, err := h.service.Search(h.ctx, golf, search.Query{Text: "wedding"}); err != nil || len(r.Found) != 2 || r.Degraded != "" {
		t.Errorf("when it is back: got %d conversations, degraded %q, %v", len(r.Found), r.Degraded, err)
	}
	if got := h.counted("recaller_searches_total"); got["degraded"] != 1 || got["found"] != 1 {
		t.Errorf("counted %v", got)
	}
	if log := h.log.String(); strings.Contains(log, "wedding") || strings.Contains(log, "bride") {
		t.Errorf("the log tells what was said or searched: %s", log)
	}
}

// hurried is an embedder that tells how long it is waited for.
type hurried struct {
	answers
	deadline *time.Time
}

func (e hurried) EmbedQueries(ctx context.Context, _ []string) ([][]float32, error) {
	at, ok := ctx.Deadline()
	if !ok {
		return nil, errors.New("nothing bounds the wait")
	}
	*e.deadline = at
	return nil, context.DeadlineExceeded
}

func TestAnEmbedderThatHangsIsNotWaitedForLong(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.told(past{words: []string{"zebra"}})
	var until time.Time
	s := h.with(func(d *search.Deps) { d.Embedder = hurried{deadline: &until} })
	began := time.Now()
	if r, err := s.Search(h.ctx, golf, search.Query{Text: "zebra"}); err != nil || len(r.Found) != 1 {
		t.Fatalf("got %+v, %v", r, err)
	}
	if wait := until.Sub(began); wait <= 0 || wait > 2*time.Second {
		t.Errorf("a search waits %v for the embedder, want about a second and a half", wait)
	}
	ctx, cancel := context.WithCancel(h.ctx)
	cancel()
	if _, err := s.Search(ctx, golf, search.Query{Text: "zebra"}); err == nil {
		t.Error("a search that nobody waits for was answered as if the embedder were away")
	}
}

func TestNothingOfAnotherTenantIsFound(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	theirs := h.told(past{tenant: dental, brief: "Rosamund Featherstone has a wedding.", words: []string{"My name is Rosamund Featherstone."}})
	own := h.told(past{brief: "A wedding.", words: []string{"A wedding."}})
	for _, text := range []string{"Rosamund Featherstone", "wedding", "marriage of Rosamund"} {
		if got := ids(h.find(golf, text)); slices.Contains(got, theirs.ID) {
			t.Errorf("%q: another tenant's conversation was found", text)
		}
	}
	if got := ids(h.find(dental, "Rosamund Featherstone")); !slices.Equal(got, []recaller.ConversationID{theirs.ID}) {
		t.Errorf("its own tenant: got %v", got)
	}
	r, err := h.service.Search(h.ctx, dental, search.Query{Text: "wedding", Filter: recaller.SearchFilter{Caller: own.Caller}})
	if err != nil || len(r.Found) != 0 {
		t.Errorf("by another tenant's caller: got %v, %v; want nothing", ids(r.Found), err)
	}
}

func TestNothingOfAnErasedCallerIsFound(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gone := h.told(past{phone: "+12125550199", brief: "A wedding.", words: []string{"A wedding for us."}})
	stays := h.told(past{words: []string{"A wedding as well, later, when we have time for a wedding."}})
	h.ok(h.Store.BeginErasure(h.ctx, golf, gone.Caller, recaller.Job{ID: "e", Tenant: golf, Kind: "erase", Subject: string(gone.Caller), RunAt: h.Clock.Now()}))
	if got := ids(h.find(golf, "wedding")); !slices.Equal(got, []recaller.ConversationID{stays.ID}) {
		t.Errorf("got %v, want the other caller's only", got)
	}
	h.embedder.Embedded()
	if _, err := h.service.Index(h.ctx, golf, gone); !errors.Is(err, recaller.NotFound) || len(h.embedder.Embedded()) != 0 {
		t.Errorf("indexed again: got %v, want not found, and nothing sent to the embedder", err)
	}
	if r := h.night(); r != (search.Retried{}) {
		t.Errorf("a night: got %+v, want nothing done", r)
	}
}

// vanishing is words that are erased while they are being read.
type vanishing struct {
	*house
	of recaller.ConversationID
}

func (v vanishing) Turns(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.Turn, error) {
	if conv.ID == v.of {
		return nil, recaller.Errorf(recaller.NotFound, "there is no such caller")
	}
	return v.house.Turns(ctx, tenant, conv)
}

func TestWhatIsErasedDuringASearchMakesRoomForTheNext(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	best := h.told(past{words: []string{"wedding wedding"}, live: true, brief: "wedding wedding"})
	next := h.told(past{words: []string{"A wedding, and then something else that we talked about."}})
	s := h.with(func(d *search.Deps) { d.Words = vanishing{h, best.ID} })
	r, err := s.Search(h.ctx, golf, search.Query{Text: "wedding", Limit: 1})
	if err != nil || !slices.Equal(ids(r.Found), []recaller.ConversationID{next.ID}) {
		t.Errorf("got %v, %v; want the next one", ids(r.Found), err)
	}
	s = h.with(func(d *search.Deps) { d.Words = unreadable{} })
	if r, err := s.Search(h.ctx, golf, search.Query{Text: "wedding"}); recaller.KindOf(err) != recaller.Unavailable || len(r.Found) != 0 {
		t.Errorf("words that cannot be read: got %v, %v; want the failure", ids(r.Found), err)
	}
	if got := h.counted("recaller_searches_total"); got["failed"] != 1 {
		t.Errorf("counted %v", got)
	}
}

// unreadable is words that cannot be read now.
type unreadable struct{}

func (unreadable) Turns(context.Context, recaller.TenantID, recaller.Conversation) ([]recaller.Turn, error) {
	return nil, recaller.Errorf(recaller.Unavailable, "the store is away")
}

func TestFiltersNarrowBothLegs(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	noon := h.Clock.Now()
	sms := h.told(past{words: []string{"A wedding."}, channel: recaller.ChannelSMS, labels: recaller.Analysis{Intent: "event", Sentiment: "negative", Outcome: "resolved", By: "rules"}})
	later := h.told(past{words: []string{"I am the bride."}, at: noon.Add(time.Hour), phone: "+12125550124", labels: recaller.Analysis{Intent: "greeting", Sentiment: "positive", Outcome: "unresolved", By: "rules"}})
	for name, tt := range map[string]struct {
		filter recaller.SearchFilter
		want   []recaller.ConversationID
	}{
		"none":          {recaller.SearchFilter{}, []recaller.ConversationID{sms.ID, later.ID}},
		"caller":        {recaller.SearchFilter{Caller: later.Caller}, []recaller.ConversationID{later.ID}},
		"channel":       {recaller.SearchFilter{Channel: recaller.ChannelSMS}, []recaller.ConversationID{sms.ID}},
		"intent":        {recaller.SearchFilter{Intent: "greeting"}, []recaller.ConversationID{later.ID}},
		"sentiment":     {recaller.SearchFilter{Sentiment: "negative"}, []recaller.ConversationID{sms.ID}},
		"outcome":       {recaller.SearchFilter{Outcome: "unresolved"}, []recaller.ConversationID{later.ID}},
		"after":         {recaller.SearchFilter{After: noon.Add(time.Hour)}, []recaller.ConversationID{later.ID}},
		"before":        {recaller.SearchFilter{Before: noon.Add(time.Hour)}, []recaller.ConversationID{sms.ID}},
		"nobody at all": {recaller.SearchFilter{Caller: "nobody"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := h.service.Search(h.ctx, golf, search.Query{Text: "wedding", Filter: tt.filter})
			if err != nil || !slices.Equal(ids(r.Found), tt.want) {
				t.Errorf("got %v, %v; want %v", ids(r.Found), err, tt.want)
			}
		})
	}
}

func TestAQueryThatIsWrongNamesTheField(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	noon := h.Clock.Now()
	for name, tt := range map[string]struct {
		query search.Query
		field string // empty: it is sound
	}{
		"nothing":             {search.Query{Text: " \n"}, "query"},
		"as long as may be":   {search.Query{Text: strings.Repeat("ü", 1000)}, ""},
		"too long":            {search.Query{Text: strings.Repeat("ü", 1001)}, "query"},
		"only stop words":     {search.Query{Text: "who is it"}, ""},
		"most":                {search.Query{Text: "a", Limit: 50}, ""},
		"too many":            {search.Query{Text: "a", Limit: 51}, "limit"},
		"fewer than none":     {search.Query{Text: "a", Limit: -1}, "limit"},
		"no channel":          {search.Query{Text: "a", Filter: recaller.SearchFilter{Channel: "fax"}}, "channel"},
		"no sentiment":        {search.Query{Text: "a", Filter: recaller.SearchFilter{Sentiment: "angry"}}, "sentiment"},
		"an endless intent":   {search.Query{Text: "a", Filter: recaller.SearchFilter{Intent: strings.Repeat("x", 101)}}, "intent"},
		"an endless outcome":  {search.Query{Text: "a", Filter: recaller.SearchFilter{Outcome: strings.Repeat("x", 101)}}, "outcome"},
		"before it begins":    {search.Query{Text: "a", Filter: recaller.SearchFilter{After: noon, Before: noon}}, "before"},
		"a moment in between": {search.Query{Text: "a", Filter: recaller.SearchFilter{After: noon, Before: noon.Add(1)}}, ""},
	} {
		_, err := h.service.Search(h.ctx, golf, tt.query)
		var e *recaller.Error
		if errors.As(err, &e); tt.field == "" && err != nil || tt.field != "" && (e == nil || e.Kind != recaller.Invalid || e.Field != tt.field) {
			t.Errorf("%s: got %v, want the field %q", name, err, tt.field)
		}
	}
	if got := h.counted("recaller_searches_total"); got["refused"] != 9 || got["nothing"] != 4 {
		t.Errorf("counted %v, want those that were refused and those that found nothing", got)
	}
}

func TestAPageHasAsManyAsAreAskedFor(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for i := range 12 {
		h.told(past{words: []string{fmt.Sprintf("A wedding with %d guests.", 20+i)}})
	}
	for limit, want := range map[int]int{0: search.DefaultLimit, 1: 1, 3: 3, 50: 12} {
		r, err := h.service.Search(h.ctx, golf, search.Query{Text: "wedding", Limit: limit})
		if err != nil || len(r.Found) != want {
			t.Errorf("limit %d: got %d, %v; want %d", limit, len(r.Found), err, want)
		}
	}
}
