package storetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
)

func tenants(b *bench) {
	k, err := b.Store.KeyByHash(b.ctx, "t1", []byte("hash of t1"))
	b.ok(err)
	eq(b, "label", k.Label, "First")
	_, err = b.Store.KeyByHash(b.ctx, "t1", []byte("hash of t2"))
	b.fails(err, recaller.NotFound)
	_, err = b.Store.KeyByHash(b.ctx, "nobody", []byte("hash of t1"))
	b.fails(err, recaller.NotFound)

	t, err := b.Store.Tenant(b.ctx, "t1")
	b.ok(err)
	b.own(t)
	t.Profile = recaller.Profile{Business: "Fox Hollow", Hours: []recaller.Line{{Label: "Monday", Value: "7-20"}, {Label: "Sunday", Value: "closed"}}}
	b.ok(b.Store.UpdateTenant(b.ctx, t))
	again, err := b.Store.Tenant(b.ctx, "t1")
	b.ok(err)
	eq(b, "profile", fmt.Sprint(again.Profile), fmt.Sprint(t.Profile))
	b.fails(b.Store.CreateTenant(b.ctx, t, recaller.APIKey{ID: "other", Tenant: "t1"}, []byte("other")), recaller.Conflict)

	second := recaller.APIKey{ID: "k2", Tenant: "t1", Scope: recaller.ScopeRead, Label: "reader", CreatedAt: b.later(time.Second)}
	b.ok(b.Store.CreateKey(b.ctx, second, []byte("second")))
	keys, err := b.Store.Keys(b.ctx, "t1")
	b.ok(err)
	b.own(keys)
	eq(b, "keys", len(keys), 2)
	eq(b, "newest", keys[1].Label, "reader")
	revoked := recaller.APIKey{ID: "gone", Tenant: "t1", Scope: "revoked", CreatedAt: b.later(2 * time.Second)}
	b.ok(b.Store.RevokeKey(b.ctx, "t1", "k2", revoked))
	b.fails(b.Store.RevokeKey(b.ctx, "t1", "k2", revoked), recaller.NotFound)
	found, err := b.Store.KeyByHash(b.ctx, "t1", []byte("second"))
	b.ok(err)
	eq(b, "a key that was revoked", string(found.ID)+" "+string(found.Scope), "gone revoked")
	b.ok(b.Store.DeleteKey(b.ctx, "t1", "gone"))
	b.fails(b.Store.DeleteKey(b.ctx, "t1", "gone"), recaller.NotFound)
	_, err = b.Store.KeyByHash(b.ctx, "t1", []byte("second"))
	b.fails(err, recaller.NotFound)
	ids, err := b.Store.TenantIDs(b.ctx)
	b.ok(err)
	eq(b, "tenants by age", fmt.Sprint(ids), "[t1 t2]")
}

func callerFound(b *bench) {
	first := b.open("t1", opening{})
	b.own(first)
	eq(b, "first time", first.FirstTime, true)
	b.later(time.Hour)
	second := b.open("t1", opening{})
	eq(b, "the same caller", second.Caller.ID, first.Caller.ID)
	eq(b, "first time", second.FirstTime, false)
	eq(b, "first seen", second.Caller.FirstSeen, first.Conversation.StartedAt)
	eq(b, "last seen", second.Caller.LastSeen, b.now)
	c, err := b.Store.CallerByIdentity(b.ctx, "t1", recaller.Identity{Kind: recaller.IdentityPhone, Value: number})
	b.ok(err)
	b.own(c)
	eq(b, "by number", c.ID, first.Caller.ID)
	eq(b, "number", c.Phone(), number)
	_, err = b.Store.CallerByIdentity(b.ctx, "t1", recaller.Identity{Kind: recaller.IdentityExternal, Value: number})
	b.fails(err, recaller.NotFound)
	_, err = b.Store.Caller(b.ctx, "t1", "nobody")
	b.fails(err, recaller.NotFound)
}

func twoIdentities(b *bench) {
	phone := recaller.Identity{Kind: recaller.IdentityPhone, Value: number}
	ext := recaller.Identity{Kind: recaller.IdentityExternal, Value: "crm-7"}
	first := b.open("t1", opening{identities: []recaller.Identity{phone}})
	both := b.open("t1", opening{identities: []recaller.Identity{ext, phone}})
	eq(b, "known by number", both.Caller.ID, first.Caller.ID)
	web := b.open("t1", opening{identities: []recaller.Identity{ext}, channel: recaller.ChannelWebChat})
	eq(b, "known by external id", web.Caller.ID, first.Caller.ID)
	eq(b, "identities", len(web.Caller.Identities), 2)

	other := b.open("t1", opening{identities: []recaller.Identity{{Kind: recaller.IdentityExternal, Value: "crm-8"}}})
	mixed := b.open("t1", opening{identities: []recaller.Identity{{Kind: recaller.IdentityExternal, Value: "crm-8"}, phone}})
	eq(b, "the first identity wins", mixed.Caller.ID, other.Caller.ID)
	still, err := b.Store.CallerByIdentity(b.ctx, "t1", phone)
	b.ok(err)
	eq(b, "the number stays with its caller", still.ID, first.Caller.ID)
	eq(b, "a number that is not his gives no zone", mixed.Change.Zone, false)
	numbered := b.open("t1", opening{identities: []recaller.Identity{{Kind: recaller.IdentityExternal, Value: "crm-8"}, {Kind: recaller.IdentityPhone, Value: "+6495551234"}}})
	eq(b, "a first number may", numbered.Change.Zone, true)
	eq(b, "whoever is new has no days yet that could move", first.Change.Zone || other.Change.Zone, false)
}

func names(b *bench) {
	o := b.open("t1", opening{name: "Bob"})
	eq(b, "given", o.Caller.Name, "Bob")
	o = b.open("t1", opening{name: "Robert"})
	eq(b, "given anew", o.Caller.Name, "Robert")
	set := "Robert Smith"
	c, change, err := b.Store.UpdateCaller(b.ctx, "t1", o.Caller.ID, recaller.CallerPatch{Name: &set, NameSource: recaller.NameSet})
	b.ok(err)
	eq(b, "set", c.Name, set)
	eq(b, "version", change.Version, o.Change.Version+1)
	o = b.open("t1", opening{name: "Bobby"})
	eq(b, "given does not replace set", o.Caller.Name, set)
	zone := "Europe/Berlin"
	eq(b, "a name moves no days", change.Zone, false)
	c, change, err = b.Store.UpdateCaller(b.ctx, "t1", o.Caller.ID, recaller.CallerPatch{TimeZone: &zone})
	b.ok(err)
	eq(b, "zone", c.TimeZone, zone)
	eq(b, "the change tells of the zone", change.Zone, true)
	eq(b, "name stays", c.Name, set)
}

func callerList(b *bench) {
	for i := range 5 {
		b.later(time.Minute)
		b.open("t1", opening{identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: fmt.Sprintf("+1555000000%d", i)}}})
	}
	var seen []string
	page := recaller.Page{Limit: 2}
	for {
		list, next, err := b.Store.Callers(b.ctx, "t1", page)
		b.ok(err)
		b.own(list)
		for _, c := range list {
			seen = append(seen, c.Phone()[len(c.Phone())-1:])
		}
		if next == "" {
			break
		}
		page.Cursor = next
	}
	eq(b, "order", strings.Join(seen, ""), "43210")
	_, _, err := b.Store.Callers(b.ctx, "t1", recaller.Page{Cursor: "nonsense"})
	b.fails(err, recaller.Invalid)
	_, _, err = b.Store.Callers(b.ctx, "t1", recaller.Page{Limit: 5000})
	b.fails(err, recaller.Invalid)
}

func life(b *bench) {
	o := b.open("t1", opening{external: "CA1"})
	said := b.say("t1", o, "user: my pipe leaks", "assistant: where do you live")
	eq(b, "numbers from 0", said.Turns[0].Number, 0)
	eq(b, "versions rise by one", said.Change.Version, o.Change.Version+1)
	more, err := b.Store.AppendTurns(b.ctx, "t1", recaller.Appending{Conversation: o.Conversation.ID, Caller: o.Caller.ID, At: b.now, Turns: []recaller.Turn{
		{ID: "t-x", Speaker: recaller.User, Text: "at 742 Evergreen Terrace", Name: "Bob", At: b.now, Confidence: 0.25, Interrupted: true},
	}})
	b.ok(err)
	eq(b, "numbers go on", more.Turns[0].Number, 2)
	b.later(time.Minute)
	closed := b.close(o, recaller.Completed)
	eq(b, "status", closed.Conversation.Status, recaller.Completed)
	eq(b, "again", b.close(o, recaller.Failed).Already, true)

	got, err := b.Store.Conversation(b.ctx, "t1", "CA1")
	b.ok(err)
	b.own(got)
	eq(b, "by external id", got.ID, o.Conversation.ID)
	eq(b, "first close holds", got.Status, recaller.Completed)
	eq(b, "ended", got.EndedAt, b.now)
	eq(b, "duration", got.Duration, 90*time.Second)
	eq(b, "reason", got.EndReason, "hangup")
	eq(b, "platform ids", got.PlatformIDs["twilio"], "CACA1")
	eq(b, "what the network said", got.Attestation, recaller.Attestation{Level: "A", Passed: true, Told: "TN-Validation-Passed-A"})
	eq(b, "metadata", string(got.Metadata), `{"queue":"sales"}`)
	eq(b, "turns", got.Turns, 3)
	turns, err := b.Store.Turns(b.ctx, "t1", got)
	b.ok(err)
	b.own(turns)
	eq(b, "words", turns[2].Text, "at 742 Evergreen Terrace")
	eq(b, "how well heard", turns[2].Confidence, 0.25)
	eq(b, "cut off", turns[2].Interrupted, true)
	eq(b, "who", turns[2].Name, "Bob")
	c, err := b.Store.Caller(b.ctx, "t1", o.Caller.ID)
	b.ok(err)
	eq(b, "conversations", c.Conversations, 1)
	eq(b, "seconds", c.TotalDuration, 90*time.Second)
	progress, err := b.Store.Steps(b.ctx, "t1", got)
	b.ok(err)
	eq(b, "steps wait", len(progress), 4)
	eq(b, "first step", progress[0].State, recaller.StepPending)
}

func externalID(b *bench) {
	first := b.open("t1", opening{external: "CA1"})
	again := b.open("t1", opening{external: "CA1"})
	eq(b, "existing", again.Existing, true)
	eq(b, "the same", again.Conversation.ID, first.Conversation.ID)
	_, err := b.Store.OpenConversation(b.ctx, "t1", b.request(opening{external: "CA1", identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+15559999999"}}}))
	b.fails(err, recaller.Invalid)
	b.close(first, recaller.Completed)
	_, err = b.Store.OpenConversation(b.ctx, "t1", b.request(opening{external: "CA1"}))
	b.fails(err, recaller.Conflict)
}

func repeated(b *bench) {
	once := recaller.Once{Token: "start:1", Request: "a"}
	first := b.open("t1", opening{once: once})
	again := b.open("t1", opening{once: once})
	eq(b, "one conversation", again.Conversation.ID, first.Conversation.ID)
	eq(b, "told so", again.Existing, true)
	_, err := b.Store.OpenConversation(b.ctx, "t1", b.request(opening{once: recaller.Once{Token: "start:1", Request: "b"}}))
	b.fails(err, recaller.Conflict)

	say := func(request string) (recaller.Appended, error) {
		return b.Store.AppendTurns(b.ctx, "t1", recaller.Appending{
			Once:         recaller.Once{Token: "turns:1", Request: request},
			Conversation: first.Conversation.ID, Caller: first.Caller.ID, Turns: b.turns("user: hello", "user: again"), At: b.now,
		})
	}
	said, err := say("x")
	b.ok(err)
	twice, err := say("x")
	b.ok(err)
	eq(b, "the same ids", twice.Turns[1].ID, said.Turns[1].ID)
	eq(b, "the same numbers", twice.Turns[1].Number, 1)
	eq(b, "no change", twice.Change.Version, 0)
	_, err = say("y")
	b.fails(err, recaller.Conflict)
	turns, err := b.Store.Turns(b.ctx, "t1", first.Conversation)
	b.ok(err)
	eq(b, "turns", len(turns), 2)
	b.ok(b.Store.PruneOnces(b.ctx, b.now.Add(time.Hour)))
	_, err = say("y")
	b.ok(err)
}

func numbered(b *bench) {
	for _, countOnly := range []bool{false, true} {
		o := b.open("t1", opening{identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: b.id("phone")}}})
		write := func(first int, lines ...string) func() (recaller.Appended, error) {
			turns := b.turns(lines...)
			for i := range turns {
				turns[i].Number = first + i
			}
			return func() (recaller.Appended, error) {
				return b.Store.AppendTurns(b.ctx, "t1", recaller.Appending{
					Numbered: true, CountOnly: countOnly,
					Conversation: o.Conversation.ID, Caller: o.Caller.ID, Turns: turns, At: b.now,
				})
			}
		}
		one := write(0, "user: hello", "user: again")
		two := write(2, "assistant: yes")
		for i, try := range []struct {
			do       func() (recaller.Appended, error)
			number   int
			isRepeat bool
		}{{one, 0, false}, {one, 0, true}, {two, 2, false}, {one, 0, true}, {two, 2, true}} {
			got, err := try.do()
			b.ok(err)
			eq(b, fmt.Sprint("number of try ", i), got.Turns[0].Number, try.number)
			eq(b, fmt.Sprint("try is a repeat ", i), got.Change.Version == 0, try.isRepeat)
		}
		if !countOnly { // another's words at this number are no repeat of it
			got, err := write(1, "user: never mind")()
			b.ok(err)
			eq(b, "the next number", got.Turns[0].Number, 3)
		}
		b.close(o, recaller.Completed)
		_, err := two()
		b.ok(err) // the end may have come between
		_, err = write(4, "user: late")()
		b.fails(err, recaller.Conflict)
		conv, err := b.Store.Conversation(b.ctx, "t1", string(o.Conversation.ID))
		b.ok(err)
		eq(b, "turns", conv.Turns, map[bool]int{false: 4, true: 3}[countOnly])
	}
}

func twiceAtOnce(b *bench) {
	requests := make([]recaller.Opening, 8)
	for i := range requests {
		requests[i] = b.request(opening{external: "CA1"})
	}
	opened := make([]recaller.Opened, len(requests))
	var wg sync.WaitGroup
	for i := range requests {
		wg.Go(func() {
			out, err := b.Store.OpenConversation(b.ctx, "t1", requests[i])
			if err != nil {
				b.Error(err)
			}
			opened[i] = out
		})
	}
	wg.Wait()
	fresh := 0
	for _, o := range opened {
		eq(b, "one conversation", o.Conversation.ID, opened[0].Conversation.ID)
		if !o.Existing {
			fresh++
		}
	}
	eq(b, "one opened it", fresh, 1)
}

func simultaneous(b *bench) {
	requests := make([]recaller.Opening, 8)
	for i := range requests {
		requests[i] = b.request(opening{})
	}
	opened := make([]recaller.Opened, len(requests))
	var wg sync.WaitGroup
	for i := range requests {
		wg.Go(func() {
			out, err := b.Store.OpenConversation(b.ctx, "t1", requests[i])
			if err != nil {
				b.Error(err)
			}
			opened[i] = out
		})
	}
	wg.Wait()
	convs, firsts := map[recaller.ConversationID]bool{}, 0
	for _, o := range opened {
		eq(b, "one caller", o.Caller.ID, opened[0].Caller.ID)
		convs[o.Conversation.ID] = true
		if o.FirstTime {
			firsts++
		}
	}
	eq(b, "conversations", len(convs), len(requests))
	eq(b, "first times", firsts, 1)
}

func closedTakesNone(b *bench) {
	o := b.open("t1", opening{})
	bob := b.open("t1", opening{identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+15551239999"}}})
	_, mixed := b.Store.AppendTurns(b.ctx, "t1", recaller.Appending{Conversation: o.Conversation.ID, Caller: bob.Caller.ID, Turns: b.turns("user: mine"), At: b.now})
	b.fails(mixed, recaller.NotFound) // another caller's conversation
	_, none := b.Store.AppendTurns(b.ctx, "t1", recaller.Appending{Conversation: o.Conversation.ID, Caller: o.Caller.ID, At: b.now})
	b.fails(none, recaller.Invalid)
	b.close(o, recaller.Failed)
	_, err := b.Store.AppendTurns(b.ctx, "t1", recaller.Appending{Conversation: o.Conversation.ID, Caller: o.Caller.ID, Turns: b.turns("user: late"), At: b.now})
	b.fails(err, recaller.Conflict)
	_, err = b.Store.AppendTurns(b.ctx, "t1", recaller.Appending{Conversation: "none", Caller: o.Caller.ID, Turns: b.turns("user: late"), At: b.now})
	b.fails(err, recaller.NotFound)
	_, err = b.Store.CloseConversation(b.ctx, "t1", recaller.Closing{Conversation: "none", Status: recaller.Completed})
	b.fails(err, recaller.NotFound)
}

func counts(b *bench) {
	const calls, each = 8, 10
	var all []recaller.Opened
	for range calls {
		all = append(all, b.open("t1", opening{channel: recaller.ChannelSMS}))
	}
	batches := make([][]recaller.Turn, calls*each)
	for i := range batches {
		batches[i] = b.turns("user: a", "assistant: b", "user: c")
	}
	var wg sync.WaitGroup
	for i, o := range all {
		wg.Go(func() {
			for j := range each {
				_, err := b.Store.AppendTurns(b.ctx, "t1", recaller.Appending{Conversation: o.Conversation.ID, Caller: o.Caller.ID, Turns: batches[i*each+j], At: b.now})
				if err != nil {
					b.Error(err)
				}
			}
			if _, err := b.Store.CloseConversation(b.ctx, "t1", recaller.Closing{Conversation: o.Conversation.ID, Status: recaller.Completed, EndedAt: b.now, Duration: time.Minute}); err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
	c, err := b.Store.Caller(b.ctx, "t1", all[0].Caller.ID)
	b.ok(err)
	eq(b, "conversations", c.Conversations, calls)
	eq(b, "text messages", c.TextMessages, calls*each*2)
	eq(b, "no voice", c.TotalDuration, 0)
	eq(b, "version", c.ContentVersion, int64(calls+calls*each+calls))
}

func imported(b *bench) {
	req := b.request(opening{external: "old-1", name: "Bob"})
	c := &req.Conversation
	c.StartedAt = b.now.AddDate(-1, 0, 0)
	c.EndedAt, c.LastActivityAt, c.Status, c.Imported, c.Duration = c.StartedAt.Add(time.Minute), c.StartedAt.Add(time.Minute), recaller.Completed, true, time.Minute
	turns := b.turns("user: hi", "assistant: hello")
	for i := range turns {
		turns[i].Number = i
	}
	out, err := b.Store.ImportConversation(b.ctx, "t1", recaller.Importing{Opening: req, Turns: turns, Steps: unasked()})
	b.ok(err)
	b.own(out)
	eq(b, "first seen then", out.Caller.FirstSeen, c.StartedAt)
	eq(b, "counted", out.Caller.Conversations, 1)
	got, err := b.Store.Turns(b.ctx, "t1", out.Conversation)
	b.ok(err)
	eq(b, "words", got[1].Text, "hello")
	progress, err := b.Store.Steps(b.ctx, "t1", out.Conversation)
	b.ok(err)
	eq(b, "no wrap-up was asked for", progress[0].State, recaller.StepSkipped)
	again, err := b.Store.ImportConversation(b.ctx, "t1", recaller.Importing{Opening: req, Turns: turns, Steps: unasked()})
	b.ok(err)
	eq(b, "once", again.Existing, true)
	eq(b, "counted once", again.Caller.Conversations, 1)

	later := b.open("t1", opening{})
	eq(b, "no first time", later.FirstTime, false)
	eq(b, "first seen stays", later.Caller.FirstSeen, c.StartedAt)
}

func conversationPages(b *bench) {
	var want []string
	for i := range 7 {
		b.later(time.Minute)
		o := b.open("t1", opening{external: fmt.Sprint("e", i)})
		want = append([]string{string(o.Conversation.ID)}, want...)
		if i%2 == 0 {
			b.close(o, recaller.Completed)
		}
	}
	caller := b.open("t1", opening{external: "e0x", identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+15550000009"}}}).Caller.ID
	c, err := b.Store.CallerByIdentity(b.ctx, "t1", recaller.Identity{Kind: recaller.IdentityPhone, Value: number})
	b.ok(err)
	read := func(f recaller.ConversationFilter) (ids []string) {
		f.Page.Limit = 3
		for {
			list, next, err := b.Store.Conversations(b.ctx, "t1", f)
			b.ok(err)
			b.own(list)
			for _, c := range list {
				ids = append(ids, string(c.ID))
			}
			if next == "" {
				return ids
			}
			f.Page.Cursor = next
		}
	}
	eq(b, "of the caller", fmt.Sprint(read(recaller.ConversationFilter{Caller: c.ID})), fmt.Sprint(want))
	eq(b, "of the other", len(read(recaller.ConversationFilter{Caller: caller})), 1)
	eq(b, "of the tenant", len(read(recaller.ConversationFilter{})), 8)
	eq(b, "active", len(read(recaller.ConversationFilter{Status: recaller.Active})), 4)
	eq(b, "completed", len(read(recaller.ConversationFilter{Status: recaller.Completed, Caller: c.ID})), 4)
}

// damaged has what is sealed of one conversation damaged: the others are listed all the same, and it is with what is
// not sealed.
func damaged(b *bench) {
	first, second := b.open("t1", opening{external: "CA1"}), b.open("t1", opening{external: "CA2"})
	of := func(o recaller.Opened) spot {
		return spot{"t1", "conversations", "body", "id = '" + string(o.Conversation.ID) + "'"}
	}
	b.putRaw(of(first), b.raw(of(second)))
	list, next, err := b.Store.Conversations(b.ctx, "t1", recaller.ConversationFilter{Caller: first.Caller.ID})
	b.ok(err)
	b.own(list)
	var told []string
	for _, c := range list {
		told = append(told, fmt.Sprint(c.ID == first.Conversation.ID, c.ExternalID, c.Status, c.StartedAt.IsZero(), c.Unreadable))
	}
	slices.Sort(told)
	eq(b, "both are listed", strings.Join(told, ", ")+next, "falseCA2activefalse false, trueactivefalse true")
	_, err = b.Store.Conversation(b.ctx, "t1", string(first.Conversation.ID))
	b.fails(err, recaller.Internal)
}
