package storetest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// model is the embedder of the stories, the second tenant's too.
const model = "m-1"

// toward is an embedding at an angle, in degrees, of twelve numbers.
func toward(degrees float64) *recaller.Embedding {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	v := make([]float32, 12)
	v[0], v[7] = float32(cos), float32(sin)
	return &recaller.Embedding{Model: model, Vector: v}
}

// said are stems, with how often each was said: "tea tea milk".
func said(stems string) map[string]int {
	out := map[string]int{}
	for _, s := range strings.Fields(stems) {
		out[s]++
	}
	return out
}

// finished is a conversation that has ended, of the caller with a number.
func (b *bench) finished(tenant recaller.TenantID, number string) recaller.Conversation {
	b.Helper()
	o := b.open(tenant, opening{identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: number}}})
	out, err := b.Store.CloseConversation(b.ctx, tenant, b.closing(o, recaller.Completed))
	b.ok(err)
	b.later(time.Minute)
	return out.Conversation
}

func (b *bench) index(tenant recaller.TenantID, c recaller.Conversation, e *recaller.Embedding, stems string) {
	b.Helper()
	in := recaller.Indexing{Conversation: c.ID, Caller: c.Caller, At: b.now}
	if e != nil {
		in.Embeddings = []recaller.Embedding{*e}
	}
	if stems != "" {
		in.Stems = said(stems)
	}
	b.ok(b.Store.PutIndexing(b.ctx, tenant, in))
}

// similar is what is found by an embedding, best first; the second tenant's is not to be.
func (b *bench) similar(e *recaller.Embedding, f recaller.SearchFilter, limit int) string {
	b.Helper()
	found, err := b.Store.Similar(b.ctx, "t1", *e, f, limit)
	b.ok(err)
	return b.ids1(found)
}

// matching is what is found by stems, best first.
func (b *bench) matching(stems string, f recaller.SearchFilter, limit int) string {
	b.Helper()
	found, err := b.Store.Matching(b.ctx, "t1", strings.Fields(stems), f, limit)
	b.ok(err)
	return b.ids1(found)
}

// ids1 are the ids of what was found in the first tenant, in their order.
func (b *bench) ids1(found []recaller.Near) string {
	b.Helper()
	ids := make([]recaller.ConversationID, len(found))
	for i, n := range found {
		ids[i] = n.Conversation
		if n.Conversation == b.noise.second {
			b.Fatal("the second tenant's conversation was found")
		}
		if i > 0 && n.Score > found[i-1].Score {
			b.Errorf("%v scores more than the one before it", n.Conversation)
		}
	}
	return fmt.Sprint(ids)
}

func of(list ...recaller.Conversation) string {
	ids := make([]recaller.ConversationID, len(list))
	for i, c := range list {
		ids[i] = c.ID
	}
	return fmt.Sprint(ids)
}

func foundByMeaning(b *bench) {
	east, north, west := b.finished("t1", number), b.finished("t1", number), b.finished("t1", "+15551230002")
	eq(b, "before there is any", b.similar(toward(0), recaller.SearchFilter{}, 10), "[]")
	b.index("t1", east, toward(10), "")
	b.index("t1", north, toward(80), "tea")
	b.index("t1", west, toward(170), "")
	eq(b, "nearest first", b.similar(toward(0), recaller.SearchFilter{}, 10), of(east, north, west))
	eq(b, "from the other side", b.similar(toward(180), recaller.SearchFilter{}, 2), of(west, north))

	found, err := b.Store.Similar(b.ctx, "t1", *toward(0), recaller.SearchFilter{}, 3)
	b.ok(err)
	cosines, err := b.Store.Similarities(b.ctx, "t1", *toward(0), []recaller.ConversationID{west.ID, east.ID, "nobody's", b.noise.second})
	b.ok(err)
	eq(b, "cosines of those that are asked for and there", len(cosines), 2)
	for i, degrees := range []float64{10, 80, 170} {
		want := math.Cos(degrees * math.Pi / 180)
		if math.Abs(found[i].Score-want) > 0.01 {
			b.Errorf("%v degrees: got cosine %v, want %v", degrees, found[i].Score, want)
		}
		if c, ok := cosines[found[i].Conversation]; ok && math.Abs(c-want) > 0.01 {
			b.Errorf("%v degrees: got cosine %v when asked for it, want %v", degrees, c, want)
		}
	}
	b.index("t1", east, toward(100), "") // it is written up anew
	b.index("t1", north, nil, "coffee")
	eq(b, "the new one counts, and words alone leave it", b.similar(toward(0), recaller.SearchFilter{}, 10), of(north, east, west))
	for range 3 {
		b.index("t1", west, toward(0), "")
	}
	eq(b, "again and again", b.similar(toward(0), recaller.SearchFilter{}, 10), of(west, north, east))

	other, wide := toward(0), toward(0)
	other.Model, wide.Vector = "m-2", append(wide.Vector, 0)
	eq(b, "another model's are not compared", b.similar(other, recaller.SearchFilter{}, 10), "[]")
	eq(b, "nor those of another width", b.similar(wide, recaller.SearchFilter{}, 10), "[]")
	b.index("t1", east, other, "")
	eq(b, "the other model has its own", b.similar(other, recaller.SearchFilter{}, 10), of(east))
	eq(b, "beside the first", b.similar(toward(0), recaller.SearchFilter{}, 10), of(west, north, east))
	b.refusedEmbeddings(east)
}

// parts has a long conversation found by the nearest of its embeddings, which come and go together.
func parts(b *bench) {
	long, short := b.finished("t1", number), b.finished("t1", "+15551230002")
	put := func(all ...*recaller.Embedding) {
		b.Helper()
		in := recaller.Indexing{Conversation: long.ID, Caller: long.Caller, At: b.now}
		for _, e := range all {
			in.Embeddings = append(in.Embeddings, *e)
		}
		b.ok(b.Store.PutIndexing(b.ctx, "t1", in))
	}
	b.index("t1", short, toward(30), "")
	put(toward(180), toward(80), toward(10))
	for what, f := range map[string]recaller.SearchFilter{"all": {}, "filtered": {Channel: recaller.ChannelVoice}, "one caller's": {Caller: long.Caller}} {
		want := of(long, short)
		if f.Caller != "" {
			want = of(long)
		}
		eq(b, what+", by its nearest part, once", b.similar(toward(0), f, 10), want)
	}
	eq(b, "by another part", b.similar(toward(90), recaller.SearchFilter{}, 1), of(long))
	near, err := b.Store.Similarities(b.ctx, "t1", *toward(0), []recaller.ConversationID{long.ID, short.ID})
	b.ok(err)
	eq(b, "told", fmt.Sprintf("%.1f %.1f", near[long.ID], near[short.ID]), "1.0 0.9")
	put(toward(180), toward(80))
	eq(b, "without that part", b.similar(toward(0), recaller.SearchFilter{}, 10), of(short, long))
	left, _, err := b.Store.Unembedded(b.ctx, "t1", recaller.Embeddable{Model: model, Step: recaller.StepEmbed, Limit: 10})
	b.ok(err)
	eq(b, "to be embedded, their step being open", of(left...), of(long, short))
	other := *toward(0)
	other.Model = "another"
	found := func() string {
		near, err := b.Store.Similar(b.ctx, "t1", other, recaller.SearchFilter{}, 10)
		b.ok(err)
		return b.ids1(near)
	}
	b.index("t1", long, &other, "")
	eq(b, "by another model", found(), of(long))
	put(toward(180), toward(80))
	eq(b, "by another model, beside the first", found(), of(long))
	b.ok(b.Store.PutIndexing(b.ctx, "t1", recaller.Indexing{Conversation: long.ID, Caller: long.Caller, Embeddings: []recaller.Embedding{*toward(80)}, Only: true, At: b.now}))
	eq(b, "by another model, where something is forgotten", found(), "[]")
	err = b.Store.PutIndexing(b.ctx, "t1", recaller.Indexing{Conversation: long.ID, Caller: long.Caller, Embeddings: []recaller.Embedding{*toward(0), other}, At: b.now})
	eq(b, "of two models", recaller.KindOf(err), recaller.Invalid)
}

// refusedEmbeddings tries what is no direction.
func (b *bench) refusedEmbeddings(c recaller.Conversation) {
	b.Helper()
	for what, v := range map[string][]float32{
		"no numbers": nil, "no length": make([]float32, 12), "no number": {1, float32(math.NaN())}, "no end": {1, float32(math.Inf(1))}, "too many": make([]float32, 4001),
	} {
		e := recaller.Embedding{Model: model, Vector: v}
		err := b.Store.PutIndexing(b.ctx, "t1", recaller.Indexing{Conversation: c.ID, Caller: c.Caller, Embeddings: []recaller.Embedding{e}, At: b.now})
		eq(b, what+" is stored", recaller.KindOf(err), recaller.Invalid)
		_, err = b.Store.Similar(b.ctx, "t1", e, recaller.SearchFilter{}, 1)
		eq(b, what+" is looked for", recaller.KindOf(err), recaller.Invalid)
	}
	for _, limit := range []int{0, 1001} {
		_, err := b.Store.Similar(b.ctx, "t1", *toward(0), recaller.SearchFilter{}, limit)
		b.fails(err, recaller.Invalid)
		_, err = b.Store.Matching(b.ctx, "t1", []string{"tea"}, recaller.SearchFilter{}, limit)
		b.fails(err, recaller.Invalid)
	}
	long := *toward(3)
	long.Vector = slices.Clone(long.Vector)
	for i := range long.Vector {
		long.Vector[i] *= 17
	}
	b.index("t1", c, &long, "")
	near, err := b.Store.Similarities(b.ctx, "t1", *toward(3), []recaller.ConversationID{c.ID})
	b.ok(err)
	if got := near[c.ID]; math.Abs(got-1) > 0.01 {
		b.Errorf("a vector that is too long: got cosine %v with its own direction, want 1", got)
	}
}

func foundByWords(b *bench) {
	tea, coffee, both := b.finished("t1", number), b.finished("t1", number), b.finished("t1", "+15551230002")
	eq(b, "before there is any", b.matching("tea", recaller.SearchFilter{}, 10), "[]")
	b.index("t1", tea, nil, "tea tea tea tea milk order")
	b.index("t1", coffee, toward(0), "coffee milk order")
	b.index("t1", both, nil, "tea coffee milk order cake cup")
	eq(b, "said by one", b.matching("cake", recaller.SearchFilter{}, 10), of(both))
	eq(b, "said often, and among few words, is more", b.matching("tea", recaller.SearchFilter{}, 10), of(tea, both))
	eq(b, "a rare word is more than a common one", b.matching("milk cake", recaller.SearchFilter{}, 1), of(both))
	eq(b, "nobody said it", b.matching("beer", recaller.SearchFilter{}, 10), "[]")
	eq(b, "no words", b.matching("", recaller.SearchFilter{}, 10), "[]")
	eq(b, "some of many words", b.matching("a b c d e f g cake cake cake cake cake cake cake cake cake h", recaller.SearchFilter{}, 10), of(both))
	eq(b, "words of all", len(strings.Fields(b.matching("milk order", recaller.SearchFilter{}, 10))), 3)
	eq(b, "no more than asked for", len(strings.Fields(b.matching("milk order", recaller.SearchFilter{}, 2))), 2)

	b.index("t1", both, nil, "beer beer")
	eq(b, "new words replace the old ones", b.matching("cake tea", recaller.SearchFilter{}, 10), of(tea))
	eq(b, "and are found", b.matching("beer", recaller.SearchFilter{}, 10), of(both))
	b.index("t1", coffee, toward(90), "")
	eq(b, "a new embedding leaves them", b.matching("coffee", recaller.SearchFilter{}, 10), of(coffee))
	b.ok(b.Store.PutIndexing(b.ctx, "t1", recaller.Indexing{Conversation: coffee.ID, Caller: coffee.Caller, Stems: map[string]int{}, At: b.now}))
	eq(b, "none take their place", b.matching("coffee", recaller.SearchFilter{}, 10), "[]")
}

func searchFilters(b *bench) {
	first, second := b.finished("t1", number), b.finished("t1", "+15551230002")
	o := b.open("t1", opening{channel: recaller.ChannelSMS})
	b.later(time.Minute)
	third := b.close(o, recaller.Failed).Conversation
	all := []recaller.Conversation{first, second, third}
	for i, c := range all {
		b.index("t1", c, toward(float64(10*i)), "tea")
		_, err := b.Store.WriteStep(b.ctx, "t1", recaller.StepResult{
			Conversation: c.ID, Caller: c.Caller, Step: recaller.StepAnalyse, State: recaller.StepDone, By: "rules", At: b.now,
			Analysis: &recaller.Analysis{Intent: []string{"booking", "enquiry", "booking"}[i], Sentiment: []string{"positive", "neutral", "negative"}[i], Outcome: []string{"resolved", "resolved", "open"}[i], By: "rules"},
		})
		b.ok(err)
	}
	for _, c := range []struct {
		what   string
		filter recaller.SearchFilter
		want   string
	}{
		{"none", recaller.SearchFilter{}, of(first, second, third)},
		{"caller", recaller.SearchFilter{Caller: first.Caller}, of(first, third)},
		{"somebody else", recaller.SearchFilter{Caller: "nobody"}, "[]"},
		{"the second tenant's caller", recaller.SearchFilter{Caller: b.noise.opened.Caller.ID}, "[]"},
		{"channel", recaller.SearchFilter{Channel: recaller.ChannelSMS}, of(third)},
		{"intent", recaller.SearchFilter{Intent: "booking"}, of(first, third)},
		{"sentiment", recaller.SearchFilter{Sentiment: "neutral"}, of(second)},
		{"outcome", recaller.SearchFilter{Outcome: "resolved"}, of(first, second)},
		{"after", recaller.SearchFilter{After: second.StartedAt}, of(second, third)},
		{"before", recaller.SearchFilter{Before: second.StartedAt}, of(first)},
		{"between", recaller.SearchFilter{After: second.StartedAt, Before: third.StartedAt}, of(second)},
		{"all of them", recaller.SearchFilter{Caller: first.Caller, Channel: recaller.ChannelVoice, Intent: "booking", Sentiment: "positive", Outcome: "resolved", After: first.StartedAt, Before: second.StartedAt}, of(first)},
		{"what does not go together", recaller.SearchFilter{Intent: "enquiry", Sentiment: "negative"}, "[]"},
	} {
		eq(b, "by meaning, "+c.what, b.similar(toward(-30), c.filter, 10), c.want)
		words := strings.Fields(strings.Trim(b.matching("tea", c.filter, 10), "[]"))
		slices.Sort(words)
		eq(b, "by words, "+c.what, fmt.Sprint(words), c.want)
	}
	eq(b, "the nearest that is let through", b.similar(toward(-30), recaller.SearchFilter{Outcome: "open"}, 1), of(third))
}

func onlyEnded(b *bench) {
	o := b.open("t1", opening{})
	b.index("t1", o.Conversation, toward(0), "tea")
	eq(b, "by meaning, while it goes on", b.similar(toward(0), recaller.SearchFilter{}, 10), "[]")
	eq(b, "by words, while it goes on", b.matching("tea", recaller.SearchFilter{}, 10), "[]")
	list, err := b.byID([]recaller.ConversationID{o.Conversation.ID})
	b.ok(err)
	eq(b, "read, while it goes on", len(list), 0)
	c := b.close(o, recaller.Failed).Conversation
	eq(b, "by meaning", b.similar(toward(0), recaller.SearchFilter{}, 10), of(c))
	eq(b, "by words", b.matching("tea", recaller.SearchFilter{}, 10), of(c))
}

func erasedNotFound(b *bench) {
	gone, stays := b.finished("t1", number), b.finished("t1", "+15551230002")
	for _, c := range []recaller.Conversation{gone, stays} {
		b.index("t1", c, toward(0), "tea")
	}
	eq(b, "both", len(strings.Fields(b.similar(toward(0), recaller.SearchFilter{}, 10))), 2)
	only := func(when string) {
		b.Helper()
		for _, f := range []recaller.SearchFilter{{}, {Channel: recaller.ChannelVoice}} {
			eq(b, when+", by meaning", b.similar(toward(0), f, 1), of(stays))
			eq(b, when+", by words", b.matching("tea", f, 1), of(stays))
		}
		eq(b, when+", of the caller", b.similar(toward(0), recaller.SearchFilter{Caller: gone.Caller}, 1), "[]")
		list, err := b.byID([]recaller.ConversationID{gone.ID, stays.ID})
		b.ok(err)
		eq(b, when+", by id", of(list...), of(stays))
		left, _, err := b.Store.Unembedded(b.ctx, "t1", recaller.Embeddable{Model: "m-2", Step: recaller.StepEmbed, Limit: 10})
		b.ok(err)
		eq(b, when+", to be embedded", of(left...), of(stays))
		err = b.Store.PutIndexing(b.ctx, "t1", recaller.Indexing{Conversation: gone.ID, Caller: gone.Caller, Stems: said("late"), Embeddings: []recaller.Embedding{*toward(0)}, At: b.now})
		b.fails(err, recaller.NotFound)
	}
	b.ok(b.Store.BeginErasure(b.ctx, "t1", gone.Caller, b.eraseJob(gone.Caller)))
	only("while he is erased")
	_, err := b.Vault.Destroy(b.ctx, vault.Scope{Tenant: "t1", Caller: gone.Caller})
	b.ok(err)
	only("when his key is gone")
	out, err := b.Store.EraseRows(b.ctx, "t1", gone.Caller)
	b.ok(err)
	eq(b, "rows of what he was found by", fmt.Sprint(out.Rows["embeddings"], out.Rows["word_indexes"]), "1 1")
	only("when he is erased")
	cosines, err := b.Store.Similarities(b.ctx, "t1", *toward(0), []recaller.ConversationID{gone.ID})
	b.ok(err)
	eq(b, "cosines", len(cosines), 0)
}

// byID reads conversations, without their words.
func (b *bench) byID(ids []recaller.ConversationID) (list []recaller.Conversation, err error) {
	all, err := b.Store.Talks(b.ctx, "t1", ids)
	for _, t := range all {
		list = append(list, t.Conversation)
	}
	return list, err
}

func unembedded(b *bench) {
	var all []recaller.Conversation
	for range 5 {
		all = append(all, b.finished("t1", number))
	}
	b.open("t1", opening{}) // goes on
	past := b.request(opening{})
	past.Conversation.Status, past.Conversation.EndedAt = recaller.Completed, b.now
	_, err := b.Store.ImportConversation(b.ctx, "t1", recaller.Importing{Opening: past, Steps: unasked()}) // is not to be wrapped up
	b.ok(err)
	list := func(model string, after recaller.ConversationID, limit int) string {
		b.Helper()
		found, more, err := b.Store.Unembedded(b.ctx, "t1", recaller.Embeddable{Model: model, Step: recaller.StepEmbed, After: after, Limit: limit})
		b.ok(err)
		if full := len(found) == limit; full != (more != "") || full && more != found[limit-1].ID {
			b.Errorf("%d of %d were found, and the next page begins after %q", len(found), limit, more)
		}
		b.own(found)
		return of(found...)
	}
	eq(b, "all that ended", list(model, "", 10), of(all...))
	eq(b, "a page", list(model, "", 2), of(all[:2]...))
	eq(b, "the next", list(model, all[1].ID, 2), of(all[2:4]...))
	b.index("t1", all[1], toward(0), "")
	b.index("t1", all[2], nil, "tea")
	for i, state := range map[int]recaller.StepState{0: recaller.StepFailed, 1: recaller.StepDone, 3: recaller.StepPending} {
		_, err := b.Store.WriteStep(b.ctx, "t1", recaller.StepResult{Conversation: all[i].ID, Caller: all[i].Caller, Step: recaller.StepEmbed, State: state, By: model, Reason: "embedder unavailable", At: b.now})
		b.ok(err)
	}
	eq(b, "without what has one, and what was given up on", list(model, "", 10), of(all[2:]...))
	eq(b, "another model has made none, and given up on none", list("m-2", "", 10), of(all...))

	got, err := b.byID([]recaller.ConversationID{all[3].ID, "nobody's", all[0].ID, b.noise.second, all[3].ID})
	b.ok(err)
	slices.SortFunc(got, func(x, y recaller.Conversation) int { return strings.Compare(string(x.ID), string(y.ID)) })
	eq(b, "by id", of(got...), of(all[0], all[3]))
	none, err := b.byID(nil)
	b.ok(err)
	eq(b, "of no ids", len(none), 0)
}

// indexedOnly has a caller's conversation indexed under another's name.
func indexedOnly(b *bench) {
	mine, theirs := b.finished("t1", number), b.finished("t1", "+15551230002")
	for _, in := range []recaller.Indexing{
		{Conversation: mine.ID, Caller: theirs.Caller}, {Conversation: "nobody's", Caller: mine.Caller}, {Conversation: mine.ID, Caller: "nobody"},
	} {
		in.Stems, in.Embeddings, in.At = said("tea"), []recaller.Embedding{*toward(0)}, b.now
		b.fails(b.Store.PutIndexing(b.ctx, "t1", in), recaller.NotFound)
	}
	eq(b, "nothing was written", b.similar(toward(0), recaller.SearchFilter{}, 10)+b.matching("tea", recaller.SearchFilter{}, 10), "[][]")
}
