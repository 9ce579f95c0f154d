package storetest

import (
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// A reach is a call of the first tenant with ids of the second's.
type reach struct {
	method string
	call   func() (found int, err error)
	kind   recaller.Kind // of the error; empty: no error, and nothing found
}

// wall reaches for the second tenant's things by every method of the store.
func wall(b *bench) {
	own := b.full()
	theirs, move := b.dispatchOfNoise(), b.moveOfNoise()
	before := b.picture("t2")
	counts := b.counts("t2")
	reached := map[string]bool{}
	for _, r := range slices.Concat(b.readReaches(own), b.moveReaches(own, move), b.writeReaches(own), b.dispatchReaches(theirs)) {
		reached[r.method] = true
		found, err := r.call()
		switch {
		case r.kind == "" && err != nil, r.kind != "" && (err == nil || recaller.KindOf(err) != r.kind):
			b.Errorf("%s: got %v, want an error of kind %q", r.method, err, r.kind)
		case found != 0:
			b.Errorf("%s found %d things of the second tenant", r.method, found)
		}
	}
	eq(b, "the second tenant", b.picture("t2"), before)
	for table, n := range b.counts("t2") {
		eq(b, "rows of the second tenant in "+table, n, counts[table])
	}
	// Methods that take no id of a tenant's things.
	for _, m := range []string{
		"WithTenant", "OfCaller", "WithCaller", "WithSystem", "Probe", "Check", "Scrub", "Examine", "Opens", "Close", "TenantIDs", "Tenants", "CreateTenant", "UpdateTenant", "Tenant", "TenantByNumber", "Alias", "IndexNumbers", "Packs", "PutPacks", "Personas", "Persona", "CreateKey", "Keys",
		"Callers", "PruneOnces", "DueJobs", "DueTenants", "LeaseJob", "NextJob", "FinishJob", "RetryJob", "ReleaseJobs", "Straighten", "JobCount", "Quarantined", "WaitingDispatches",
		"AcceptUnbound", "AsMarked", "AllBound", "Bind", "OnDamage", "Announce", "PruneDispatches", "PruneMoves",
	} {
		reached[m] = true
	}
	for m := range reflect.TypeFor[*store.Store]().Methods() {
		if !reached[m.Name] {
			b.Errorf("%s is not tried against the wall: add it here", m.Name)
		}
	}
}

// count is how many things a yes stands for.
func count(found bool) int {
	if found {
		return 1
	}
	return 0
}

func (b *bench) readReaches(own recaller.Opened) []reach {
	s, ctx := b.Store, b.ctx
	their, memory := b.noise.opened, b.noise.memory.ID
	mixed := own.Conversation // the first tenant's caller with the second's conversation
	mixed.ID = their.Conversation.ID
	return []reach{
		{"KeyByHash", func() (int, error) { _, err := s.KeyByHash(ctx, "t1", []byte("hash of t2")); return 0, err }, recaller.NotFound},
		{"Caller", func() (int, error) { _, err := s.Caller(ctx, "t1", their.Caller.ID); return 0, err }, recaller.NotFound},
		{"CallerByIdentity", func() (int, error) {
			c, err := s.CallerByIdentity(ctx, "t1", their.Caller.Identities[0]) // the same number: the own caller
			if c.ID == their.Caller.ID {
				return 1, err
			}
			return 0, err
		}, ""},
		{"ContentVersion", func() (int, error) { _, err := s.ContentVersion(ctx, "t1", their.Caller.ID); return 0, err }, recaller.NotFound},
		{"Conversation", func() (int, error) { _, err := s.Conversation(ctx, "t1", string(their.Conversation.ID)); return 0, err }, recaller.NotFound},
		{"Conversations", func() (int, error) {
			l, _, err := s.Conversations(ctx, "t1", recaller.ConversationFilter{Caller: their.Caller.ID})
			return len(l), err
		}, ""},
		{"Turns", func() (int, error) { l, err := s.Turns(ctx, "t1", their.Conversation); return len(l), err }, recaller.NotFound},
		{"Turns", func() (int, error) { l, err := s.Turns(ctx, "t1", mixed); return len(l), err }, ""},
		{"TurnPage", func() (int, error) { l, _, err := s.TurnPage(ctx, "t1", their.Conversation, 0); return len(l), err }, recaller.NotFound},
		{"TurnPage", func() (int, error) { l, _, err := s.TurnPage(ctx, "t1", mixed, 0); return len(l), err }, recaller.NotFound},
		{"Steps", func() (int, error) { l, err := s.Steps(ctx, "t1", their.Conversation); return len(l), err }, ""},
		{"Memories", func() (int, error) {
			l, _, err := s.Memories(ctx, "t1", their.Caller.ID, recaller.MemoryFilter{})
			return len(l), err
		}, recaller.NotFound},
		{"Memories", func() (int, error) {
			l, _, err := s.Memories(ctx, "t1", own.Caller.ID, recaller.MemoryFilter{Conversation: their.Conversation.ID})
			return len(l), err
		}, ""},
		{"MemoryHistory", func() (int, error) { l, err := s.MemoryHistory(ctx, "t1", memory); return len(l), err }, recaller.NotFound},
		{"MemoryByID", func() (int, error) { _, err := s.MemoryByID(ctx, "t1", memory); return 0, err }, recaller.NotFound},
		{"ActiveMemories", func() (int, error) { l, _, err := s.ActiveMemories(ctx, "t1", their.Caller.ID, -1); return len(l), err }, recaller.NotFound},
		{"Forgetful", func() (int, error) {
			l, err := s.Forgetful(ctx, "t1", []recaller.CallerID{their.Caller.ID})
			return len(l), err
		}, ""},
		{"Forgettings", func() (int, error) { n, err := s.Forgettings(ctx, "t1", their.Caller.ID); return int(n), err }, recaller.NotFound},
		{"Private", func() (int, error) { l, err := s.Private(ctx, "t1", their.Caller.ID); return len(l), err }, recaller.NotFound},
		{"Forgotten", func() (int, error) { l, err := s.Forgotten(ctx, "t1", their.Caller.ID); return len(l), err }, recaller.NotFound},
		{"Regarded", func() (int, error) {
			l, err := s.Regarded(ctx, "t1", their.Caller.ID, string(their.Caller.ID)+".0.m")
			return len(l), err
		}, recaller.NotFound},
		{"Repeated", func() (int, error) {
			_, _, err := s.Repeated(ctx, "t1", their.Caller.ID, recaller.Once{Token: "their", Request: "r"})
			return 0, err
		}, recaller.NotFound},
		{"ToolCalls", func() (int, error) { l, err := s.ToolCalls(ctx, "t1", their.Conversation.ID); return len(l), err }, ""},
		{"Reminder", func() (int, error) { _, err := s.Reminder(ctx, "t1", b.noise.reminder.ID); return 0, err }, recaller.NotFound},
		{"Reminders", func() (int, error) {
			l, _, err := s.Reminders(ctx, "t1", recaller.ReminderFilter{Caller: their.Caller.ID})
			return len(l), err
		}, ""},
		{"Reminders", func() (int, error) {
			l, _, err := s.Reminders(ctx, "t1", recaller.ReminderFilter{Status: recaller.ReminderPending})
			return len(l) - 1, err // the own one
		}, ""},
		{"Checkpoint", func() (int, error) { _, err := s.Checkpoint(ctx, "t1", their.Caller.ID); return 0, err }, recaller.NotFound},
		{"Resumable", func() (int, error) { _, err := s.Resumable(ctx, "t1", their.Caller.ID); return 0, err }, recaller.NotFound},
		{"Thread", func() (int, error) { _, err := s.Thread(ctx, "t1", string(b.noise.thread.ID)); return 0, err }, recaller.NotFound},
		{"Ahead", func() (int, error) {
			if _, keeps := b.Engine.Writes("t1", ""); !keeps { // it reads nothing where nothing is kept
				return 0, recaller.Errorf(recaller.NotFound, "nothing is read")
			}
			return 0, s.Ahead(ctx, "t1", string(b.noise.thread.ID))
		}, recaller.NotFound},
		{"Threads", func() (int, error) {
			l, _, err := s.Threads(ctx, "t1", recaller.ThreadFilter{Caller: their.Caller.ID})
			return len(l), err
		}, ""},
		{"Stretches", func() (int, error) { l, err := s.Stretches(ctx, "t1", b.noise.thread, 5); return len(l), err }, recaller.NotFound},
		{"Document", func() (int, error) { _, err := s.Document(ctx, "t1", b.noise.document.ID); return 0, err }, recaller.NotFound},
		{"Document", func() (int, error) { _, err := s.Document(ctx, "t1", b.noise.house.ID); return 0, err }, recaller.NotFound},
		{"DocumentsByID", func() (int, error) {
			l, err := s.DocumentsByID(ctx, "t1", []recaller.DocumentID{b.noise.document.ID, b.noise.house.ID})
			return len(l), err
		}, ""},
		{"Documents", func() (int, error) {
			l, _, err := s.Documents(ctx, "t1", recaller.DocumentFilter{Caller: their.Caller.ID})
			return len(l), err
		}, ""},
		{"Documents", func() (int, error) {
			l, _, err := s.Documents(ctx, "t1", recaller.DocumentFilter{Tags: []string{secret}})
			return len(l), err
		}, ""},
		{"CallerDocuments", func() (int, error) {
			l, err := s.CallerDocuments(ctx, "t1", their.Caller.ID, recaller.DocumentWritten)
			return len(l), err
		}, recaller.NotFound},
		{"HouseVersion", func() (int, error) { v, err := s.HouseVersion(ctx, "t1"); return int(v), err }, ""},
		{"Snapshot", func() (int, error) { _, err := s.Snapshot(ctx, "t1", their.Caller.ID); return 0, err }, recaller.NotFound},
		{"SnapshotAt", func() (int, error) { _, err := s.SnapshotAt(ctx, "t1", their.Caller.ID, b.now); return 0, err }, recaller.NotFound},
		{"Acts", func() (int, error) { _, err := s.Acts(ctx, "t1", their.Caller.ID); return 0, err }, recaller.NotFound},
		{"Corpus", func() (int, error) { c, err := s.Corpus(ctx, "t1", their.Caller.ID); return len(c.Turns), err }, recaller.NotFound},
		{"Outline", func() (int, error) {
			o, _, err := s.Outline(ctx, "t1", their.Caller.ID, 0)
			return len(o.Conversations), err
		}, recaller.NotFound},
		{"Words", func() (int, error) {
			w, err := s.Words(ctx, "t1", own.Caller.ID, []recaller.TurnRange{{Conversation: their.Conversation.ID, To: 9}}, []recaller.ConversationID{their.Conversation.ID, b.noise.second})
			return len(w.Turns) + len(w.Conversations), err
		}, ""},
		{"Words", func() (int, error) {
			w, err := s.Words(ctx, "t1", their.Caller.ID, []recaller.TurnRange{{Conversation: their.Conversation.ID, To: 9}}, nil)
			return len(w.Turns), err
		}, recaller.NotFound},
		{"Segments", func() (int, error) {
			n := 0
			others, err := s.Segments(ctx, "t1", their.Caller.ID, func(string) bool { return true }, func(string, []byte) { n++ })
			return n + len(others), err
		}, recaller.NotFound},
		{"Erasing", func() (int, error) {
			begun, err := s.Erasing(ctx, recaller.Job{Tenant: "t1", Kind: "erase", Subject: string(their.Caller.ID)})
			return count(begun), err
		}, ""},
		{"Receipt", func() (int, error) { _, err := s.Receipt(ctx, "t1", their.Caller.ID); return 0, err }, recaller.NotFound},
		{"Similar", func() (int, error) {
			l, err := s.Similar(ctx, "t1", *toward(0), recaller.SearchFilter{}, 10)
			return len(l) - 1, err // the own one
		}, ""},
		{"Similar", func() (int, error) {
			l, err := s.Similar(ctx, "t1", *toward(0), recaller.SearchFilter{Caller: their.Caller.ID}, 10)
			return len(l), err
		}, ""},
		{"Matching", func() (int, error) {
			l, err := s.Matching(ctx, "t1", []string{secret}, recaller.SearchFilter{}, 10)
			return len(l), err
		}, ""},
		{"Similarities", func() (int, error) {
			m, err := s.Similarities(ctx, "t1", *toward(0), []recaller.ConversationID{b.noise.second})
			return len(m), err
		}, ""},
		{"SimilarDocuments", func() (int, error) {
			l, err := s.SimilarDocuments(ctx, "t1", *toward(0), recaller.DocumentFilter{Archived: true}, 10)
			return len(l) - 1, err // the own one
		}, ""},
		{"SimilarDocuments", func() (int, error) {
			l, err := s.SimilarDocuments(ctx, "t1", *toward(0), recaller.DocumentFilter{Caller: their.Caller.ID}, 10)
			return len(l), err
		}, ""},
		{"SimilarDocuments", func() (int, error) {
			l, err := s.SimilarDocuments(ctx, "t1", *toward(0), recaller.DocumentFilter{House: true}, 10)
			return len(l), err
		}, ""},
		{"MatchingDocuments", func() (int, error) {
			l, err := s.MatchingDocuments(ctx, "t1", []string{secret}, recaller.DocumentFilter{Archived: true}, 10)
			return len(l), err
		}, ""},
		{"UnembeddedDocuments", func() (int, error) {
			l, _, err := s.UnembeddedDocuments(ctx, "t1", "m-2", "", 10)
			return len(l) - 1, err
		}, ""},
		{"Talks", func() (int, error) {
			l, err := s.Talks(ctx, "t1", []recaller.ConversationID{b.noise.second})
			return len(l), err
		}, ""},
		{"Unembedded", func() (int, error) {
			l, _, err := s.Unembedded(ctx, "t1", recaller.Embeddable{Model: "m-2", Step: recaller.StepEmbed, Limit: 10})
			return len(l) - 1, err
		}, ""},
	}
}

func (b *bench) writeReaches(own recaller.Opened) []reach {
	s, ctx := b.Store, b.ctx
	their, memory := b.noise.opened, b.noise.memory.ID
	word := "changed"
	active := b.open("t1", opening{})
	say := func(conv recaller.ConversationID, caller recaller.CallerID) func() (int, error) {
		in := recaller.Appending{Conversation: conv, Caller: caller, Turns: b.turns("user: x"), At: b.now}
		return func() (int, error) { _, err := s.AppendTurns(ctx, "t1", in); return 0, err }
	}
	return append(b.writebackReaches(own, active), []reach{
		{"OpenConversation", func() (int, error) {
			o, err := s.OpenConversation(ctx, "t1", b.request(opening{})) // the same number
			if o.Caller.ID == their.Caller.ID {
				return 1, err
			}
			return 0, err
		}, ""},
		{"Introduce", func() (int, error) { // the same number: the own caller
			c, err := s.Introduce(ctx, "t1", recaller.Introducing{Identities: []recaller.Identity{their.Caller.Identities[0]}, NewCaller: "new", At: b.now})
			if c.ID == their.Caller.ID {
				return 1, err
			}
			return 0, err
		}, ""},
		{"ImportConversation", func() (int, error) { // an id that the second tenant has: ids are unique inside a tenant only
			r := b.request(opening{})
			r.Conversation.ID, r.Conversation.Status = their.Conversation.ID, recaller.Completed
			_, err := s.ImportConversation(ctx, "t1", recaller.Importing{Opening: r})
			return 0, err
		}, ""},
		{"AppendTurns", say("conv-of-nobody", their.Caller.ID), recaller.NotFound},
		{"AppendTurns", say(their.Conversation.ID, their.Caller.ID), recaller.NotFound},
		{"AppendTurns", say(active.Conversation.ID, their.Caller.ID), recaller.NotFound},
		{"CloseConversation", func() (int, error) {
			_, err := s.CloseConversation(ctx, "t1", recaller.Closing{Conversation: b.noise.second, Status: recaller.Failed, EndedAt: b.now})
			return 0, err
		}, recaller.NotFound},
		{"SetRecording", func() (int, error) {
			return 0, s.SetRecording(ctx, "t1", b.noise.second, "https://example.com/1")
		}, recaller.NotFound},
		{"RaiseTrust", func() (int, error) {
			_, err := s.RaiseTrust(ctx, "t1", recaller.Raising{Conversation: b.noise.second, Trust: recaller.TrustVerified})
			return 0, err
		}, recaller.NotFound},
		{"SetPIN", func() (int, error) {
			_, _, err := s.SetPIN(ctx, "t1", their.Caller.ID, []byte(word))
			return 0, err
		}, recaller.NotFound},
		{"TryPIN", func() (int, error) {
			_, err := s.TryPIN(ctx, "t1", recaller.PINTry{Caller: their.Caller.ID, At: b.now})
			return 0, err
		}, recaller.NotFound},
		{"RightPIN", func() (int, error) {
			return 0, s.RightPIN(ctx, "t1", their.Caller.ID, []byte(word))
		}, recaller.NotFound},
		{"UpdateCaller", func() (int, error) {
			_, _, err := s.UpdateCaller(ctx, "t1", their.Caller.ID, recaller.CallerPatch{Name: &word, NameSource: recaller.NameSet})
			return 0, err
		}, recaller.NotFound},
		{"StoreMemory", func() (int, error) {
			_, err := s.StoreMemory(ctx, "t1", recaller.Storing{Memory: b.memory(their.Caller.ID, "name", word)})
			return 0, err
		}, recaller.NotFound},
		{"ChangeMemory", func() (int, error) {
			_, err := s.ChangeMemory(ctx, "t1", recaller.Changing{ID: memory, Patch: recaller.MemoryPatch{Value: &word, At: b.now}})
			return 0, err
		}, recaller.NotFound},
		{"ChangeMemory", func() (int, error) {
			_, err := s.ChangeMemory(ctx, "t1", recaller.Changing{ID: memory, Forget: true, Patch: recaller.MemoryPatch{Reason: word, At: b.now}})
			return 0, err
		}, recaller.NotFound},
		{"Mark", func() (int, error) {
			before, err := s.Mark(ctx, "t1", their.Caller.ID, "their", b.now)
			return count(before), err
		}, ""},
		{"Marked", func() (int, error) {
			before, err := s.Marked(ctx, "t1", their.Caller.ID, "their")
			return count(before), err
		}, ""},
		{"AppendedBefore", func() (int, error) {
			l, err := s.AppendedBefore(ctx, "t1", their.Caller.ID, recaller.Once{Token: "their", Request: "r"})
			return len(l), err
		}, ""},
		{"CreateThread", func() (int, error) {
			_, _, err := s.CreateThread(ctx, "t1", recaller.ThreadCreating{Thread: b.thread(their.Caller.ID, "")})
			return 0, err
		}, recaller.NotFound},
		{"ChangeThread", func() (int, error) {
			title := "theirs"
			_, err := s.ChangeThread(ctx, "t1", b.noise.thread.ID, recaller.ThreadPatch{Title: &title})
			return 0, err
		}, recaller.NotFound},
		{"EnqueueThread", func() (int, error) {
			return 0, s.EnqueueThread(ctx, "t1", their.Caller.ID, recaller.Job{ID: "j", Kind: recaller.JobThread, Subject: "x", RunAt: b.now})
		}, recaller.NotFound},
		{"OpenSteps", func() (int, error) {
			return 0, s.OpenSteps(ctx, "t1", their.Conversation, recaller.StepExtract)
		}, ""},
		{"FileDocument", func() (int, error) {
			d := b.paper(their.Caller.ID, word)
			_, err := s.FileDocument(ctx, "t1", recaller.Filing{Document: d})
			return 0, err
		}, recaller.NotFound},
		{"FileDocument", func() (int, error) {
			d := b.noise.house
			d.Content = word
			_, err := s.FileDocument(ctx, "t1", recaller.Filing{Document: d})
			return 0, err
		}, recaller.Conflict},
		{"MarkDelivery", func() (int, error) { return 0, s.MarkDelivery(ctx, "t1", b.noise.document, 1) }, recaller.NotFound},
		{"MarkDelivery", func() (int, error) { return 0, s.MarkDelivery(ctx, "t1", b.noise.house, 1) }, recaller.NotFound},
		{"DeleteDocument", func() (int, error) { _, err := s.DeleteDocument(ctx, "t1", b.noise.document.ID); return 0, err }, recaller.NotFound},
		{"DeleteDocument", func() (int, error) { _, err := s.DeleteDocument(ctx, "t1", b.noise.house.ID); return 0, err }, recaller.NotFound},
		{"PutCheckpoint", func() (int, error) {
			_, err := s.PutCheckpoint(ctx, "t1", recaller.Checkpoint{ID: "x", Caller: their.Caller.ID, Summary: word, StagingData: []byte(`{}`)})
			return 0, err
		}, recaller.NotFound},
		{"DeleteCheckpoint", func() (int, error) { return 0, s.DeleteCheckpoint(ctx, "t1", their.Caller.ID) }, recaller.NotFound},
		{"TryStep", func() (int, error) {
			open, err := s.TryStep(ctx, "t1", recaller.Conversation{ID: b.noise.second, Caller: own.Caller.ID}, recaller.StepSummarise)
			if open {
				return 1, err
			}
			return 0, err
		}, ""},
		{"ReopenStep", func() (int, error) {
			return 0, s.ReopenStep(ctx, "t1", recaller.Conversation{ID: b.noise.second, Caller: their.Caller.ID}, recaller.StepEmbed)
		}, ""},
		{"WriteStep", func() (int, error) {
			_, err := s.WriteStep(ctx, "t1", recaller.StepResult{Conversation: b.noise.second, Caller: their.Caller.ID, Step: recaller.StepSummarise, State: recaller.StepFailed, At: b.now})
			return 0, err
		}, recaller.NotFound},
		{"WriteStep", func() (int, error) {
			out, err := s.WriteStep(ctx, "t1", recaller.StepResult{Conversation: b.noise.second, Caller: own.Caller.ID, Step: recaller.StepSummarise, State: recaller.StepFailed, At: b.now})
			if !out.Already {
				return 1, err
			}
			return 0, err
		}, ""},
		{"PutIndexing", func() (int, error) {
			return 0, s.PutIndexing(ctx, "t1", recaller.Indexing{Conversation: b.noise.second, Caller: their.Caller.ID, Stems: said("x"), Embeddings: []recaller.Embedding{*toward(90)}})
		}, recaller.NotFound},
		{"PutIndexing", func() (int, error) {
			return 0, s.PutIndexing(ctx, "t1", recaller.Indexing{Conversation: b.noise.second, Caller: own.Caller.ID, Stems: said("x"), Embeddings: []recaller.Embedding{*toward(90)}})
		}, recaller.NotFound},
		{"PutDocumentIndexing", b.indexesTheirs(b.noise.document.ID, their.Caller.ID), ""},
		{"PutDocumentIndexing", b.indexesTheirs(b.noise.document.ID, own.Caller.ID), ""},
		{"PutDocumentIndexing", b.indexesTheirs(b.noise.house.ID, ""), ""},
		{"PutTurnVectors", func() (int, error) {
			return 0, s.PutTurnVectors(ctx, "t1", their.Caller.ID, []recaller.TurnVectors{turnVectors(recaller.Conversation{ID: b.noise.second}, "m", 0)})
		}, recaller.NotFound},
		{"PutTurnVectors", func() (int, error) {
			return 0, s.PutTurnVectors(ctx, "t1", own.Caller.ID, []recaller.TurnVectors{turnVectors(recaller.Conversation{ID: b.noise.second}, "m", 0)})
		}, recaller.NotFound},
		{"PutSegment", func() (int, error) {
			return 0, s.PutSegment(ctx, "t1", their.Caller.ID, "segment", []byte("x"), nil)
		}, recaller.NotFound},
		{"TurnVectors", func() (int, error) {
			list, err := s.TurnVectors(ctx, "t1", their.Caller.ID, "m")
			return len(list), err
		}, recaller.NotFound},
		{"RevokeKey", func() (int, error) {
			return 0, s.RevokeKey(ctx, "t1", "key-t2", recaller.APIKey{ID: "r", Tenant: "t1"})
		}, recaller.NotFound},
		{"DeleteKey", func() (int, error) { return 0, s.DeleteKey(ctx, "t1", "key-t2") }, recaller.NotFound},
		{"BeginErasure", func() (int, error) { return 0, s.BeginErasure(ctx, "t1", their.Caller.ID, b.eraseJob(their.Caller.ID)) }, recaller.NotFound},
		{"EraseRows", func() (int, error) { out, err := s.EraseRows(ctx, "t1", their.Caller.ID); return len(out.Rows), err }, ""},
		{"PutReceipt", func() (int, error) {
			r := recaller.Receipt{ID: "r", Tenant: "t1", Caller: "caller-of-nobody", ErasedAt: b.now}
			return 0, s.PutReceipt(ctx, r, recaller.Job{Tenant: "t2", Kind: "wrapup", Subject: string(b.noise.second)})
		}, ""},
	}...)
}

// indexesTheirs has a document of the second tenant indexed by the first: as of one that is gone nothing is written.
func (b *bench) indexesTheirs(id recaller.DocumentID, caller recaller.CallerID) func() (int, error) {
	return func() (int, error) {
		err := b.Store.PutDocumentIndexing(b.ctx, "t1", recaller.DocumentIndexing{
			Document: id, Caller: caller, Version: 1, Stems: said("x"), Embeddings: []recaller.Embedding{*toward(90)}, Only: true,
		})
		if err != nil {
			return 0, err
		}
		found, err := b.Store.MatchingDocuments(b.ctx, "t1", []string{"x"}, recaller.DocumentFilter{Archived: true}, 10)
		return len(found), err
	}
}

// writebackReaches are the writes of tool calls, reminders and versions.
func (b *bench) writebackReaches(own, active recaller.Opened) []reach {
	s, ctx := b.Store, b.ctx
	their, memory, reminder := b.noise.opened, b.noise.memory.ID, b.noise.reminder.ID
	call := func(conv recaller.Opened, caller recaller.CallerID) recaller.ToolCall {
		c := *b.toolCall(conv, recaller.ToolForgetMemory)
		c.Caller, c.Result = caller, string(recaller.NotFound)
		return c
	}
	return []reach{
		{"StoreMemory", func() (int, error) { // into their memory: it is not found, and the own one stands alone
			out, err := s.StoreMemory(ctx, "t1", recaller.Storing{Memory: b.memory(own.Caller.ID, "another name", "x"), Into: memory})
			if out.Action != recaller.MemoryCreated {
				return 1, err
			}
			return 0, err
		}, ""},
		{"StoreMemory", func() (int, error) { // in their conversation
			_, err := s.StoreMemory(ctx, "t1", recaller.Storing{Memory: b.memory(own.Caller.ID, "x", "x"), Call: b.toolCall(their, recaller.ToolStoreMemory)})
			return 0, err
		}, recaller.NotFound},
		{"UndoMemory", func() (int, error) {
			_, err := s.UndoMemory(ctx, "t1", recaller.Undoing{ID: memory, At: b.now})
			return 0, err
		}, recaller.NotFound},
		{"RecordToolCall", func() (int, error) { return 0, s.RecordToolCall(ctx, "t1", call(their, their.Caller.ID)) }, recaller.NotFound},
		{"RecordToolCall", func() (int, error) { return 0, s.RecordToolCall(ctx, "t1", call(their, own.Caller.ID)) }, recaller.NotFound},
		{"RecordToolCall", func() (int, error) { return 0, s.RecordToolCall(ctx, "t1", call(active, their.Caller.ID)) }, recaller.NotFound},
		{"ChangeErrand", func() (int, error) {
			_, err := s.ChangeErrand(ctx, "t1", reminder, b.now, func(recaller.Reminder, func(time.Time) (recaller.Errands, error)) (*recaller.ErrandWrite, error) {
				return &recaller.ErrandWrite{}, nil
			})
			return 0, err
		}, recaller.NotFound},
		{"BusyErrands", func() (int, error) { return s.BusyErrands(ctx, "t1") }, ""},
		{"TryReminder", func() (int, error) { return 0, s.TryReminder(ctx, "t1", reminder, "timeout", b.now) }, recaller.NotFound},
		{"CloseReminder", func() (int, error) {
			_, err := s.CloseReminder(ctx, "t1", reminder, recaller.ReminderCancelled, "", b.now)
			return 0, err
		}, recaller.NotFound},
		{"AdvanceReminder", func() (int, error) {
			return 0, s.AdvanceReminder(ctx, "t1", recaller.Reminder{ID: reminder, Caller: own.Caller.ID, DueAt: b.now}, recaller.ReminderDelivered, b.now, b.now)
		}, recaller.NotFound},
		{"ReviveReminder", func() (int, error) {
			_, err := s.ReviveReminder(ctx, "t1", reminder, recaller.Job{ID: "x", Kind: recaller.JobReminder, Subject: string(reminder), RunAt: b.now}, b.now)
			return 0, err
		}, recaller.NotFound},
		{"AddCost", func() (int, error) {
			return 0, s.AddCost(ctx, "t1", recaller.Conversation{ID: b.noise.second, Caller: own.Caller.ID}, recaller.StepExtract, recaller.Cost{Calls: 1})
		}, recaller.NotFound},
	}
}

// picture is all that a tenant sees of its things, in one string.
func (b *bench) picture(tenant recaller.TenantID) string {
	b.Helper()
	see := func(list ...any) string {
		raw, err := json.MarshalIndent(list, "", " ")
		b.ok(err)
		return string(raw)
	}
	t, err := b.Store.Tenant(b.ctx, tenant)
	b.ok(err)
	keys, err := b.Store.Keys(b.ctx, tenant)
	b.ok(err)
	callers, _, err := b.Store.Callers(b.ctx, tenant, recaller.Page{})
	b.ok(err)
	reminders, _, err := b.Store.Reminders(b.ctx, tenant, recaller.ReminderFilter{})
	b.ok(err)
	all := see(t, keys, callers, reminders)
	for _, c := range callers {
		snap, err := b.Store.Snapshot(b.ctx, tenant, c.ID)
		b.ok(err)
		corpus, err := b.Store.Corpus(b.ctx, tenant, c.ID)
		b.ok(err)
		all += see(snap, corpus.Version, corpus.Conversations, corpus.Memories)
		for _, conv := range corpus.Conversations {
			steps, err := b.Store.Steps(b.ctx, tenant, conv)
			b.ok(err)
			calls, err := b.Store.ToolCalls(b.ctx, tenant, conv.ID)
			b.ok(err)
			all += see(corpus.Turns[conv.ID], steps, calls)
		}
		for _, m := range corpus.Memories {
			history, err := b.Store.MemoryHistory(b.ctx, tenant, m.ID)
			b.ok(err)
			all += see(history)
		}
	}
	return all
}

// counts are the rows of a tenant, table by table.
func (b *bench) counts(tenant recaller.TenantID) map[string]int {
	rows := map[string]int{}
	for _, table := range append(b.CallerTables(), "callers", "api_keys", "receipts", "personas") {
		rows[table] = b.rows(table, tenant)
	}
	return rows
}

// oneDoor is about the door itself.
func oneDoor(b *bench) {
	b.fails(b.Store.WithTenant(b.ctx, "", store.Reading, func(store.Tx) error { return nil }), recaller.Internal)
	b.fails(b.Store.OfCaller(b.ctx, "", "caller", func(store.Tx) error { return nil }), recaller.Internal)
	b.fails(b.Store.OfCaller(b.ctx, "t1", "", func(store.Tx) error { return nil }), recaller.Internal)
	b.fails(b.Store.WithCaller(b.ctx, "", "caller", func(store.Tx) error { return nil }), recaller.Internal)
	b.fails(b.Store.WithCaller(b.ctx, "t1", "", func(store.Tx) error { return nil }), recaller.Internal)
}
