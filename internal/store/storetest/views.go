package storetest

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
)

func snapshot(b *bench) {
	_, err := b.Store.Snapshot(b.ctx, "t1", "nobody")
	b.fails(err, recaller.NotFound)
	first := b.open("t1", opening{name: "Bob"})
	caller := first.Caller.ID
	read := func() recaller.Snapshot {
		s, err := b.Store.Snapshot(b.ctx, "t1", caller)
		b.ok(err)
		b.own(s, s.Caller, s.History, s.Memories)
		return s
	}
	s := read()
	eq(b, "tenant", s.Tenant.Name, "First")
	eq(b, "caller", s.Caller.Name+s.Caller.Phone(), "Bob"+number)
	eq(b, "no checkpoint", s.Checkpoint == nil, true)
	eq(b, "an active conversation is no history", len(s.History), 0)
	b.close(first, recaller.Completed)

	b.remember("t1", caller, "tea", "Assam")
	b.remember("t1", caller, "pet", "Rex")
	b.remember("t1", caller, "tea", "Darjeeling")
	_, err = b.Store.PutCheckpoint(b.ctx, "t1", recaller.Checkpoint{ID: "cp", Caller: caller, Summary: "half done", StagingData: []byte(`{}`), LastActivity: b.now, CreatedAt: b.now})
	b.ok(err)
	var last recaller.Opened
	for i := range 4 {
		b.later(time.Hour)
		last = b.open("t1", opening{external: fmt.Sprint("c", i)})
		var words []string
		for n := range 20 {
			words = append(words, fmt.Sprintf("user: call %d turn %d", i, n))
		}
		b.say("t1", last, words...)
		b.later(time.Minute)
		b.close(last, recaller.Failed)
	}
	s = read()
	eq(b, "the last three, newest first", s.History[0].ExternalID+s.History[1].ExternalID+s.History[2].ExternalID, "c3c2c1")
	eq(b, "three", len(s.History), 3)
	eq(b, "checkpoint", s.Checkpoint.Summary, "half done")
	eq(b, "memories, last confirmed first", s.Memories[0].Value+" "+s.Memories[1].Value, "Darjeeling Rex")
	eq(b, "broken off", s.BrokenOff.Conversation.ID, last.Conversation.ID)
	eq(b, "the last words", len(s.BrokenOff.Turns), 16)
	eq(b, "from", s.BrokenOff.Turns[0].Text, "call 3 turn 4")
	eq(b, "to", s.BrokenOff.Turns[15].Text, "call 3 turn 19")

	b.later(time.Hour)
	b.close(b.open("t1", opening{}), recaller.Completed)
	s = read()
	eq(b, "a call in which nothing was said is none", s.BrokenOff != nil && s.History[0].ExternalID == "c3", true)
	b.later(time.Hour)
	goodbye := b.open("t1", opening{})
	b.say("t1", goodbye, "user: bye")
	b.close(goodbye, recaller.Completed)
	eq(b, "nothing is broken off after a goodbye", read().BrokenOff == nil, true)
}

// openOnes: what nobody has ended yet is read with its last words, beside the conversation that asks.
func openOnes(b *bench) {
	stuck := b.open("t1", opening{external: "stuck"})
	var words []string
	for n := range 20 {
		words = append(words, fmt.Sprintf("user: turn %d", n))
	}
	b.say("t1", stuck, words...)
	b.later(time.Minute)
	mute := b.open("t1", opening{external: "mute"})
	b.later(time.Minute)
	now := b.open("t1", opening{external: "now"})
	b.say("t1", now, "user: hello again")
	read := func() recaller.Snapshot {
		s, err := b.Store.Snapshot(b.ctx, "t1", now.Caller.ID)
		b.ok(err)
		b.own(s, s.Caller)
		return s
	}
	s := read()
	eq(b, "newest first", s.Open[0].Conversation.ExternalID+" "+s.Open[1].Conversation.ExternalID+" "+s.Open[2].Conversation.ExternalID, "now mute stuck")
	eq(b, "each with its own words", fmt.Sprint(len(s.Open[0].Turns), len(s.Open[1].Turns), len(s.Open[2].Turns)), "1 0 16")
	eq(b, "the last ones, in order", s.Open[2].Turns[0].Text+", "+s.Open[2].Turns[15].Text, "turn 4, turn 19")
	eq(b, "nothing was ever said and ended", s.Silent && len(s.History) == 0, true)
	b.close(mute, recaller.Failed)
	s = read()
	eq(b, "nor is it where one ended without a word", s.Silent && len(s.History) == 0 && s.BrokenOff == nil && len(s.Open) == 2, true)
	b.close(stuck, recaller.Failed)
	s = read()
	eq(b, "what was said and ended is history", !s.Silent && len(s.History) == 1 && s.BrokenOff != nil && len(s.Open) == 1, true)
	for range 5 {
		b.open("t1", opening{})
	}
	eq(b, "no more than a briefing can use", len(read().Open), 4)
}

func corpus(b *bench) {
	_, err := b.Store.Corpus(b.ctx, "t1", "nobody")
	b.fails(err, recaller.NotFound)
	a := b.open("t1", opening{external: "A"})
	b.say("t1", a, "user: one", "assistant: two")
	b.close(a, recaller.Completed)
	b.later(time.Hour)
	c := b.open("t1", opening{external: "B"})
	b.say("t1", c, "user: three")
	b.say("t1", c, "user: four")
	bob := b.open("t1", opening{identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+15551239999"}}})
	b.say("t1", bob, "user: somebody else's words")
	b.remember("t1", bob.Caller.ID, "tea", "somebody else's tea")
	b.remember("t1", a.Caller.ID, "tea", "Assam")
	gone := b.remember("t1", a.Caller.ID, "sugar", "none")
	_, err = b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: gone.Memory.ID, Forget: true, Patch: recaller.MemoryPatch{Reason: "forgotten", At: b.now}})
	b.ok(err)

	got, err := b.Store.Corpus(b.ctx, "t1", a.Caller.ID)
	b.ok(err)
	b.own(got)
	version, err := b.Store.ContentVersion(b.ctx, "t1", a.Caller.ID)
	b.ok(err)
	eq(b, "version", got.Version, version)
	eq(b, "conversations, oldest first", got.Conversations[0].ExternalID+got.Conversations[1].ExternalID, "AB")
	eq(b, "conversations", len(got.Conversations), 2)
	var words []string
	for _, conv := range got.Conversations {
		for i, t := range got.Turns[conv.ID] {
			eq(b, "number", t.Number, i)
			words = append(words, t.Text)
		}
	}
	eq(b, "turns", strings.Join(words, " "), "one two three four")
	eq(b, "active memories", len(got.Memories), 1)
	eq(b, "memory", got.Memories[0].Value, "Assam")
}

// words is about text that is easily spoiled: long, odd, empty of sense, or looking like something else.
func words(b *bench) {
	o := b.open("t1", opening{name: "Zoë 李小龙 \u202e\u200f"})
	eq(b, "name", o.Caller.Name, "Zoë 李小龙 \u202e\u200f")
	texts := []string{
		strings.Repeat("x", recaller.MaxTurnBytes),
		strings.Repeat("€", recaller.MaxTurnBytes/3),
		"nul \x00 in the middle", "a\u0301 á", "👩‍👩‍👧‍👦 🏳️‍🌈", "\u2028\u2029\u0085", "<script>&amp;\"'\\", "'); DROP TABLE turns; --", "$1 ?1 :a",
		"\ufeffbom", "1e999", "null", "שלום", "\u202egnihtemos", "\U0010ffff",
	}
	turns := make([]recaller.Turn, len(texts))
	for i, text := range texts {
		if !utf8.ValidString(text) {
			b.Fatalf("text %d is no UTF-8", i)
		}
		turns[i] = recaller.Turn{ID: recaller.TurnID(b.id("turn")), Speaker: recaller.User, Text: text, Name: text[:min(40, len(text))], At: b.now, Confidence: 1}
	}
	for i := range turns {
		if !utf8.ValidString(turns[i].Name) {
			turns[i].Name = ""
		}
	}
	_, err := b.Store.AppendTurns(b.ctx, "t1", recaller.Appending{Conversation: o.Conversation.ID, Caller: o.Caller.ID, Turns: turns, At: b.now})
	b.ok(err)
	got, err := b.Store.Turns(b.ctx, "t1", o.Conversation)
	b.ok(err)
	eq(b, "turns", len(got), len(turns))
	for i := range got {
		if got[i].Text != texts[i] || got[i].Name != turns[i].Name {
			b.Errorf("turn %d came back changed: %d bytes, want %d", i, len(got[i].Text), len(texts[i]))
		}
	}
	m := b.remember("t1", o.Caller.ID, "ключ İ", texts[2])
	found, _, err := b.Store.Memories(b.ctx, "t1", o.Caller.ID, recaller.MemoryFilter{Key: "КЛЮЧ İ"})
	b.ok(err)
	eq(b, "found by key", len(found), 1)
	eq(b, "value", found[0].Value, m.Memory.Value)
}
