package storetest

import (
	"fmt"
	"time"

	"github.com/recallerhq/recaller"
)

// act is what was settled of tomorrow, in one quotation.
func (b *bench) act(kind recaller.ActKind, text string) recaller.Act {
	return recaller.Act{
		Kind: kind, At: b.now.AddDate(0, 0, 1).UTC(), SaidAt: b.now.UTC(),
		Of:   []recaller.Stretch{{From: b.now.UTC(), To: b.now.Add(time.Hour).UTC()}},
		Said: []recaller.Saying{{Turn: 1, Speaker: recaller.Assistant, Text: text}},
	}
}

// agreed writes a conversation up with one act.
func (b *bench) agreed(tenant recaller.TenantID, o recaller.Opened, texts ...string) {
	b.Helper()
	r := recaller.StepResult{
		Conversation: o.Conversation.ID, Caller: o.Caller.ID, Step: recaller.StepSummarise, State: recaller.StepPending, By: "rules", At: b.now,
		Summary: &recaller.Summary{Brief: "They agreed.", By: "rules"},
	}
	for _, text := range texts {
		r.Acts = append(r.Acts, b.act(recaller.ActSettled, text))
	}
	_, err := b.Store.WriteStep(b.ctx, tenant, r)
	b.ok(err)
}

// agreements are written beside the summary, replaced when it is written again, and read with the snapshot.
func agreements(b *bench) {
	o := b.open("t1", opening{})
	b.close(o, recaller.Completed)
	said := func(list []recaller.Act) string {
		out := ""
		for _, a := range list {
			out += fmt.Sprintln(a.Conversation == o.Conversation.ID, a.Kind, a.Said[0].Turn, a.Said[0].Text, len(a.Of), a.At.Sub(a.SaidAt).Hours())
		}
		return out
	}
	want := func(what, text string) {
		b.Helper()
		snap, err := b.Store.Snapshot(b.ctx, "t1", o.Caller.ID)
		b.ok(err)
		eq(b, what, said(snap.Acts), text)
		list, err := b.Store.Acts(b.ctx, "t1", o.Caller.ID)
		b.ok(err)
		eq(b, what+", listed", said(list), text)
	}
	want("none", "")
	b.agreed("t1", o, "Tuesday it is", "and Friday")
	want("two", "true settled 1 and Friday 1 24\ntrue settled 1 Tuesday it is 1 24\n")
	b.agreed("t1", o, "Wednesday it is")
	want("written again", "true settled 1 Wednesday it is 1 24\n")
	_, err := b.Store.Acts(b.ctx, "t1", "nobody")
	b.fails(err, recaller.NotFound)
	b.agreed("t1", o, make([]string, 501)...)
	all, err := b.Store.Acts(b.ctx, "t1", o.Caller.ID)
	b.ok(err)
	snap, err := b.Store.Snapshot(b.ctx, "t1", o.Caller.ID)
	b.ok(err)
	eq(b, "all of them, and the last ones", fmt.Sprint(len(all), len(snap.Acts)), "501 500")
}

// past is what a snapshot at a time that is past tells: nothing that came later.
func past(b *bench) {
	o := b.open("t1", opening{name: "Bob"})
	b.say("t1", o, "user: one")
	b.remember("t1", o.Caller.ID, "tea", "Assam")
	started := b.now
	b.later(time.Minute)
	b.close(o, recaller.Failed)
	b.agreed("t1", o, "Tuesday it is")
	ended := b.now
	b.later(time.Hour)
	b.remember("t1", o.Caller.ID, "tea", "Darjeeling")
	b.remember("t1", o.Caller.ID, "pet", "Rex")
	_, err := b.Store.PutCheckpoint(b.ctx, "t1", recaller.Checkpoint{ID: "cp", Caller: o.Caller.ID, Summary: "half", LastActivity: b.now, CreatedAt: b.now})
	b.ok(err)
	second := b.open("t1", opening{external: "CA2"})
	b.say("t1", second, "user: two")
	b.later(time.Minute)
	b.close(second, recaller.Completed)
	at := func(t time.Time) string {
		snap, err := b.Store.SnapshotAt(b.ctx, "t1", o.Caller.ID, t)
		b.ok(err)
		out := fmt.Sprint(len(snap.History), snap.Caller.Conversations, len(snap.Acts), snap.BrokenOff != nil, snap.Checkpoint != nil)
		for _, m := range snap.Memories {
			out += fmt.Sprint(" ", m.Key, "=", m.Value, " ", m.Status)
		}
		return out
	}
	eq(b, "while it went on", at(started), "0 0 0 false false tea=Assam active")
	eq(b, "when it had ended", at(ended), "1 1 1 true false tea=Assam active")
	eq(b, "now", at(b.now), "2 2 1 false true pet=Rex active tea=Darjeeling active")
}
