package httpapi

import (
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/livebuffer"
	"github.com/recallerhq/recaller/internal/repeat"
)

// This file turns the centre's types into wire types. It decides nothing.

// instant brings a time of ours into UTC; zero stays zero.
func instant(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC()
}

// told takes a time from a request. It refuses a time that JSON could not give back in UTC.
func told(field string, t time.Time) (time.Time, error) {
	if t.IsZero() {
		return time.Time{}, nil
	}
	t = t.UTC()
	if t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}, recaller.InvalidField(field, "must be an RFC 3339 time between the years 1 and 9999")
	}
	return t, nil
}

// list maps a list; nil becomes empty, because lists are never null on the wire.
func list[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	for i, v := range in {
		out[i] = f(v)
	}
	return out
}

func ids[T ~string](in []string) []T {
	return list(in, func(s string) T { return T(s) })
}

func callerOut(c recaller.Caller) client.Caller {
	return client.Caller{
		ID: string(c.ID), Phone: c.Phone(), ExternalID: c.ExternalID(),
		Identities: list(c.Identities, func(id recaller.Identity) client.Identity {
			return client.Identity{Kind: id.Kind, Value: id.Value, Shared: id.Shared}
		}),
		Name: c.Name, NameSource: c.NameSource, TimeZone: c.TimeZone,
		FirstSeen: instant(c.FirstSeen), LastSeen: instant(c.LastSeen),
		Conversations: c.Conversations, TotalDurationSeconds: c.TotalDuration.Seconds(), TextMessages: c.TextMessages,
		MergedInto: string(c.MergedInto), HasPIN: c.HasPIN, Unreadable: c.Unreadable,
	}
}

func conversationOut(c recaller.Conversation) client.Conversation {
	out := client.Conversation{
		ID: string(c.ID), SessionID: c.SessionID(), ExternalID: c.ExternalID, CallerID: string(c.Caller), Channel: c.Channel,
		Direction: c.Direction, Status: c.Status, Reminder: c.Reminder, Imported: c.Imported,
		StartedAt: instant(c.StartedAt), EndedAt: instant(c.EndedAt), LastActivityAt: instant(c.LastActivityAt),
		DurationSeconds: c.Duration.Seconds(), TurnCount: c.Turns, EndReason: c.EndReason, RecordingURL: c.RecordingURL,
		PlatformIDs: c.PlatformIDs, Attestation: client.Attestation(c.Attestation), Trust: c.Trust, Metadata: c.Metadata, ThreadID: string(c.Thread), Unreadable: c.Unreadable,
		BegunAs: string(c.BegunAs), Continues: string(c.Continues),
	}
	if c.Summary != nil {
		sum := client.Summary(*c.Summary)
		out.Summary = &sum
	}
	if c.Analysis != nil {
		a := client.Analysis(*c.Analysis)
		out.Analysis = &a
	}
	return out
}

func turnOut(t recaller.Turn) client.Turn {
	return client.Turn{
		ID: string(t.ID), Number: t.Number, Speaker: t.Speaker, Text: t.Text, Name: t.Name, At: instant(t.At),
		// only forgotten turns have no words
		Confidence: t.Confidence, Interrupted: t.Interrupted, Forgotten: t.Text == "",
	}
}

func recordOut(r conversation.Record, calls []recaller.ToolCall) client.ConversationRecord {
	out := client.ConversationRecord{
		Conversation: conversationOut(r.Conversation), Turns: list(r.Turns, turnOut),
		ToolCalls: list(calls, toolRecordOut), ToolCallCount: len(calls),
	}
	out.Wrapup = client.Wrapup{Done: r.Conversation.Status != recaller.Active, Steps: list(r.Steps, stepOut)}
	var total recaller.Cost
	for _, step := range r.Steps {
		out.Wrapup.Done = out.Wrapup.Done && (step.State != recaller.StepPending || forTheNight(step))
		total = total.Plus(step.Cost)
	}
	out.Cost = costOut(total)
	if r.Live != nil {
		out.Live = &client.Live{
			Turns: list(r.Live.Turns, liveOut), StoredKeys: list(r.Live.StoredKeys, func(k string) string { return k }),
		}
	}
	return out
}

// forTheNight reports whether a step is left to the nightly run: an embedding that could not be made. Nobody should
// wait for it.
func forTheNight(p recaller.StepProgress) bool {
	return p.Step == recaller.StepEmbed && p.State == recaller.StepPending && p.Reason != ""
}

func liveOut(t livebuffer.Turn) client.LiveTurn {
	return client.LiveTurn{
		Number: t.Number, Intent: string(t.Intent), Entities: list(t.Entities, func(e string) string { return e }),
	}
}

func stepOut(p recaller.StepProgress) client.Step {
	return client.Step{
		Step: p.Step, State: p.State, By: p.By, Attempts: p.Attempts, Reason: p.Reason,
		FinishedAt: instant(p.FinishedAt), Prompt: p.Prompt, Found: p.Found, Dropped: p.Dropped, Stored: p.Stored,
		Cost: costOut(p.Cost),
	}
}

func costOut(c recaller.Cost) client.Cost {
	return client.Cost{Calls: c.Calls, TokensIn: c.TokensIn, TokensOut: c.TokensOut, TookMS: milliseconds(c.Took)}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func toolRecordOut(c recaller.ToolCall) client.ToolRecord {
	return client.ToolRecord{
		ID: c.ID, Tool: c.Tool, Result: c.Result, MemoryID: string(c.Memory), Version: c.Version, At: instant(c.At),
	}
}

func briefingOut(b recaller.Briefing) client.Briefing {
	return client.Briefing{
		Text: b.Text, Tokens: b.Tokens, Degraded: b.Degraded, Reason: b.Reason,
		Parts: list(b.Parts, func(p recaller.BriefingPart) client.BriefingPart { return client.BriefingPart(p) }),
	}
}

func memoryOut(m recaller.Memory) client.Memory {
	out := client.Memory{
		ID: string(m.ID), CallerID: string(m.Caller), Version: m.Version, Type: m.Type, Key: m.Key, Value: m.Value,
		Confidence: m.Confidence, Source: m.Source, PrivacyScope: m.PrivacyScope, Status: m.Status,
		ClosedReason: m.ClosedReason, DueDay: m.DueDay, CreatedAt: instant(m.CreatedAt),
		ConfirmedAt: instant(m.ConfirmedAt), ClosedAt: instant(m.ClosedAt),
	}
	if m.DueAt != nil {
		out.DueAt = instant(*m.DueAt)
	}
	out.Provenance, out.Aliases, out.Interim = provenanceOut(m.Provenance), m.Aliases, m.Interim
	if d := m.Dispute; d != nil {
		out.Dispute = &client.Dispute{Value: d.Value, Provenance: provenanceOut(d.Provenance), At: instant(d.At)}
	}
	return out
}

// provenanceOut is nil for a memory of which the words are not known.
func provenanceOut(p recaller.Provenance) *client.Provenance {
	if p.Conversation == "" && len(p.Turns) == 0 {
		return nil
	}
	return &client.Provenance{ConversationID: string(p.Conversation), Turns: p.Turns, ThreadID: string(p.Thread)}
}

func writtenOut(w recaller.MemoryWritten) client.MemoryResponse {
	out := client.MemoryResponse{Memory: memoryOut(w.Memory), Action: w.Action}
	if w.Previous != nil {
		m := memoryOut(*w.Previous)
		out.Previous = &m
	}
	return out
}

func reminderOut(r recaller.Reminder) client.Reminder {
	return client.Reminder{
		ID: string(r.ID), CallerID: string(r.Caller), MemoryID: string(r.Memory),
		ConversationID: string(r.Conversation), DueAt: instant(r.DueAt), Text: r.Text, Repeats: repeat.Words(r.Rule),
		Rule: r.Rule, Status: r.Status, Attempts: r.Attempts, Reason: r.Reason, CreatedAt: instant(r.CreatedAt),
		ClosedAt: instant(r.ClosedAt), Unreadable: r.Unreadable, By: r.Means, Errand: errandOut(r),
	}
}

// errandOut tells where an errand stands, without numbers.
func errandOut(r recaller.Reminder) *client.Errand {
	e := r.Errand
	if e == nil {
		return nil
	}
	return &client.Errand{
		State: e.State, Reason: e.Reason, Rings: e.Rings, NextAt: instant(e.Next), By: e.By, Conversation: string(r.ReachedIn),
	}
}

func checkpointOut(c recaller.Checkpoint) client.Checkpoint {
	out := client.Checkpoint{
		ID: string(c.ID), CallerID: string(c.Caller), Intent: c.Intent, Summary: c.Summary, StagingData: c.StagingData,
		ContactID: c.ContactID, LastActivityAt: instant(c.LastActivity), CreatedAt: instant(c.CreatedAt),
		Source: c.Source, ConversationID: string(c.Conversation),
	}
	if len(out.StagingData) == 0 {
		out.StagingData = []byte("{}")
	}
	return out
}

func stateOut(s recaller.CheckpointState) client.CheckpointState {
	out := client.CheckpointState{
		Intent: s.Intent, Summary: s.Summary, StagingData: s.StagingData, ContactID: s.ContactID, Source: s.Source,
		At: instant(s.At),
	}
	if len(out.StagingData) == 0 {
		out.StagingData = []byte("{}")
	}
	return out
}

func hitOut(h recaller.Hit) client.RecallResult {
	out := client.RecallResult{
		Kind: h.Kind, ID: h.ID, ConversationID: string(h.Conversation), ConversationExternalID: h.ExternalID,
		Title: h.Title, Business: h.House, Speaker: h.Speaker, Text: h.Text, At: instant(h.At), Score: h.Score, Weak: h.Weak,
	}
	if h.Kind == recaller.HitTurn {
		out.Turn = &h.Turn
		out.Neighbours = list(h.Neighbours, turnOut)
	}
	if h.Why != nil {
		out.Why = &client.Why{
			Terms: list(h.Why.Terms, func(t recaller.TermWhy) client.TermWhy { return client.TermWhy(t) }),
			Parts: list(h.Why.Parts, func(p recaller.PartWhy) client.PartWhy { return client.PartWhy(p) }),
			Times: list(h.Why.Times, timeOut),
		}
	}
	return out
}

func timeOut(t recaller.TimeWhy) client.TimeWhy {
	return client.TimeWhy{Phrase: t.Phrase, From: dayOut(t.From), Until: dayOut(t.Until), Days: t.Days, Value: t.Value}
}

// dayOut leaves the beginning of a day in its zone, which says whose day it is. It is zero outside the years that JSON
// knows.
func dayOut(t time.Time) time.Time {
	if t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}

func agreementOut(g recaller.Agreement) client.Agreement {
	out := client.Agreement{
		At: instant(g.At), Day: g.Day, State: string(g.State), ConversationID: string(g.By.Conversation),
		SaidAt: instant(g.By.SaidAt), Said: list(g.By.Said, sayingOut),
	}
	if e := g.Ended; e != nil {
		out.Ended = &client.AgreementEnd{
			ConversationID: string(e.Conversation), SaidAt: instant(e.SaidAt), Said: list(e.Said, sayingOut),
		}
	}
	return out
}

func sayingOut(s recaller.Saying) client.Saying { return client.Saying(s) }

func profileOut(p recaller.Profile) client.Profile {
	lines := func(in []recaller.Line) []client.Line {
		return list(in, func(l recaller.Line) client.Line { return client.Line(l) })
	}
	return client.Profile{
		Business: p.Business, Description: p.Description, Location: p.Location, Phone: p.Phone, Hours: lines(p.Hours),
		Pricing: lines(p.Pricing), Services: p.Services, Personality: p.Personality, Greeting: p.Greeting,
		Instructions: p.Instructions,
	}
}

func tenantOut(t recaller.Tenant) client.Tenant {
	prompts := t.Prompts
	if prompts == nil {
		prompts = map[string]string{}
	}
	return client.Tenant{
		ID: string(t.ID), Unreadable: t.Unreadable, Name: t.Name, Environment: t.Environment, Profile: profileOut(t.Profile),
		Numbers: ids[string](t.Numbers), DefaultRegion: t.DefaultRegion, TimeZone: t.TimeZone, Retention: t.Retention,
		ArchiveDays: t.ArchiveDays, DocumentArchiveDays: t.DocumentArchiveDays, ResumeWindowSeconds: t.ResumeWindow.Seconds(),
		IdleLimitSeconds: t.IdleLimit.Seconds(), HistoryLimit: t.HistoryLimit, PinAfter: max(t.PinAfter, 0),
		Packs:    ids[string](t.Packs),
		OwnPacks: ids[string](t.OwnPacks), Masking: t.Masking, MemoryTools: t.MemoryTools, Prompts: prompts,
		Texting:   client.Texting{Reply: t.Texting.Reply, QuietMinutes: t.Texting.QuietAfter.Minutes()},
		Telephone: client.Telephone(t.Telephone), WebChat: webChatOut(t.WebChat), Outbound: outboundOut(t.Outbound),
		Trust: client.TrustRights{
			Anonymous: client.Rights(t.Rights(recaller.TrustAnonymous)), Claimed: client.Rights(t.Rights(recaller.TrustClaimed)),
			Attested: client.Rights(t.Rights(recaller.TrustAttested)), Verified: client.Rights(t.Rights(recaller.TrustVerified)),
		},
		CreatedAt: instant(t.CreatedAt),
	}
}

func keyOut(k recaller.APIKey) client.Key {
	return client.Key{ID: string(k.ID), Scope: k.Scope, Label: k.Label, CreatedAt: instant(k.CreatedAt)}
}
