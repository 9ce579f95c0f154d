// Package storetest is the conformance suite of stores: every engine passes the same stories, unchanged. In each of
// them a second tenant holds the same number, the same external ids and the same memory keys with other words; a
// sighting of those fails the story. Beside them is what the engines' own tests have in common: stories of an engine
// below the store, of sealing and of upgrades, benchmarks, and what they are told with.
//
// It is for tests only.
package storetest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/vault"
)

// Opened is an empty store under test.
type Opened struct {
	Store *store.Store
	Vault *vault.Vault
	// Engine is what the store runs on, for stories that look below the doors.
	Engine store.Engine
	// CallerTables lists the tables of the schema that have a column caller_id.
	CallerTables func() []string
}

// Run tells every story about the stores that open makes.
func Run(t *testing.T, open func(t *testing.T) Opened) {
	t.Helper()
	stories := []struct {
		name string
		tell func(*bench)
	}{
		{"tenants and keys", tenants},
		{"a number leads to one tenant", numbersLead},
		{"an audience of an issuer is one tenant's", audiencesAreApart},
		{"two tenants take one number at once", takenAtOnce},
		{"no change of settings is lost", noUpdateLost},
		{"trials and real callers are kept apart", environments},
		{"a tenant has keyword packs of its own", ownPacks},
		{"versions of a persona are kept", personaVersions},
		{"a version of a persona that was changed is left out", personasForged},
		{"numbers of earlier tenants are indexed", numbersIndexed},
		{"vectors of turns are kept beside them", vectorsKept},
		{"segments of an index are kept", segmentsKept},
		{"what a caller said is read in pieces", readInPieces},
		{"a caller is found again by number", callerFound},
		{"two identities lead to one caller", twoIdentities},
		{"a caller whose number is withheld is nobody", withheld},
		{"a name that was said is completed, never shortened", fullerName},
		{"what nobody has ended is read with its last words", openOnes},
		{"a name from a weaker source never replaces a stronger one", names},
		{"callers are listed by when they were last seen", callerList},
		{"a conversation is opened, spoken and closed", life},
		{"the same external id opens the same conversation", externalID},
		{"a conversation that was cut goes on", resumed},
		{"a recording is told after the end", recorded},
		{"the trust of a conversation is raised, and never falls", trusted},
		{"a PIN is tried in bounds", pinTried},
		{"what is private is told to readers apart", keptPrivate},
		{"two servers add turns to one conversation", addedByTwo},
		{"a probe writes, and leaves nothing", probed},
		{"a repeated request is carried out once", repeated},
		{"numbered turns are there once, whichever try commits first", numbered},
		{"the same webhook twice at once opens one conversation", twiceAtOnce},
		{"two calls from one number at once are two conversations of one caller", simultaneous},
		{"a closed conversation takes no turns", closedTakesNone},
		{"counts are kept by many writers at once", counts},
		{"a past conversation is imported as it was", imported},
		{"conversations are listed newest first, page by page", conversationPages},
		{"words are read page by page", wordPages},
		{"what is amiss with a page of words is told", wordPagesDamaged},
		{"pages of words end when the caller is erased", wordPagesErased},
		{"a damaged conversation is listed as unreadable", damaged},
		{"whose key is missing is quarantined, and nobody else", keyless},
		{"a page that a destroyed key empties is not the last", pagesOfErased},
		{"memories are stored, updated and forgotten with their history", memories},
		{"memories are told apart by key, ignoring case", memoryKeys},
		{"memories are listed by filter", memoryFilters},
		{"memories are listed page by page, version by version", memoryPages},
		{"a follow-up comes due", dueTimes},
		{"a due time that is told anew is news", dueAgain},
		{"all active memories are read at once", activeMemories},
		{"a near-duplicate is merged with a trace", merged},
		{"a near-duplicate whose memory is gone stands alone", mergedIntoNothing},
		{"a key that was changed stays as an alias", aliasOfChange},
		{"an undo brings an earlier version back", undone},
		{"an undo ends where there is nothing to undo", undoRefused},
		{"what goes with a memory is one commit", together},
		{"a repeated write is told of its first time", writtenOnce},
		{"calls of tools are kept by conversation", toolCalls},
		{"a memory has one pending reminder", reminders},
		{"reminders are listed by due time", reminderList},
		{"a reminder is tried, given up on and tried again", reminderTries},
		{"an errand goes on step by step, and ends its reminder", errands},
		{"a dead reminder comes back only to a memory that is there", reminderRevival},
		{"many reminders at once are all kept", remindersAtOnce},
		{"a memory has several reminders", manyReminders},
		{"a reminder repeats", repeatingReminder},
		{"reminders as they stood at a time", remindersThen},
		{"a forgotten memory fires once or never", forgetAndFire},
		{"a caller has one checkpoint", checkpoints},
		{"what conversations leave unfinished", unfinished},
		{"events are told of what is committed", eventsOfCommits},
		{"events are told of what a wrap-up finds, and only to who asks", eventsOfSteps},
		{"events that nobody asks for cost nothing", eventsOfNobody},
		{"a conversation that was resumed ends twice", endedTwice},
		{"a dispatch is tried, given up on and sent again", dispatches},
		{"dispatches are listed page by page", dispatchPages},
		{"nothing is sent of an erased caller", dispatchesOfErased},
		{"a document is written, changed and deleted", documentStory},
		{"a tenant has documents of its own", houseDocuments},
		{"documents are listed newest first, by filter", documentLists},
		{"a document is written once", filedOnce},
		{"what became of a delivery is kept beside the document", deliveries},
		{"what is archived leaves the history", archivedHistory},
		{"a snapshot opens the pinned documents that may be told", pinnedTold},
		{"no document is changed unseen", documentsForged},
		{"a caller is known before he rings", introductions},
		{"a thread goes on through its conversations", threads},
		{"no thread is changed unseen", threadsForged},
		{"a conversation that goes on has steps", stepsBeforeTheEnd},
		{"a wrap-up step has its effect once", steps},
		{"what was agreed on is kept beside the summary", agreements},
		{"what an agent would have been told then", past},
		{"a conversation has the steps that it was ended with", plannedSteps},
		{"a step is opened again", reopened},
		{"an interim summary leaves its step open", interim},
		{"interim memories give way to what the step finds", interimMemories},
		{"interim memories stay where the step finds nothing out", interimStays},
		{"what somebody made of an interim memory stays", interimTouched},
		{"an interim memory is not in the way of other conversations", interimMeets},
		{"an interim memory is exported and erased like any", interimErased},
		{"what a step cost adds up", costs},
		{"another value that was heard is kept as a dispute", disputes},
		{"what is no news disputes nothing", noDisputes},
		{"nothing is found under an alias", foundByAlias},
		{"an alias that comes while a step is written counts", aliasMeanwhile},
		{"what was forgotten in a conversation is not found in its words", forgottenInCall},
		{"a step that does not know of what was forgotten meanwhile is not written", forgottenMeanwhile},
		{"what says the same is forgotten with it, and so is the name", forgottenTogether},
		{"a forgotten name is said again", nameSaidAgain},
		{"a wrap-up forgets what the caller asked for, in its own commit", forgottenByStep},
		{"what a tool forgot is not found in the same words", forgottenByTool},
		{"a conversation is found by what it means", foundByMeaning},
		{"a conversation is found by what was said in it", foundByWords},
		{"a search is narrowed by a filter", searchFilters},
		{"only what has ended is found", onlyEnded},
		{"an erased caller is not found", erasedNotFound},
		{"conversations of several callers are read with their words", talksRead},
		{"what has no embedding yet is listed", unembedded},
		{"a conversation is indexed for its own caller", indexedOnly},
		{"a long conversation is found by the nearest of its parts", parts},
		{"a document is found by what it means", documentsByMeaning},
		{"a document is found by its words", documentsByWords},
		{"words that all documents have find the newest", documentsNewest},
		{"a search of documents is narrowed by a filter", documentSearchFilters},
		{"a document that was changed or erased is not indexed", documentIndexing},
		{"documents without an embedding are listed", documentsUnembedded},
		{"jobs are claimed once, leased and given back", jobs},
		{"whose jobs are due is told in turn", dueTenants},
		{"tenants are listed page by page", tenantPages},
		{"what a clock that was ahead wrote is put right", straightened},
		{"many workers never have one job twice", manyWorkers},
		{"a snapshot has all that a briefing needs", snapshot},
		{"a corpus has all that recall may search", corpus},
		{"a corpus has what was known before, and nothing that was forgotten", knownBefore},
		{"words come back as they were said, however long or odd", words},
		{"a write that fails undoes only itself", groupCommit},
		{"many store one key at once", storesMeet},
		{"a memory is stored anew while it is forgotten", storeAndForgetMeet},
		{"near-duplicates are merged from all sides", duplicatesMeet},
		{"two memories take each other's keys", keysMeet},
		{"strangers ring at once and are one caller", strangersMeet},
		{"an external id is given to many callers at once", externalIDsMeet},
		{"requests that are repeated at the same moment", requestsMeet},
		{"many save one checkpoint", checkpointsMeet},
		{"words come in while a conversation ends", lastWordsMeet},
		{"a caller is erased in the middle of it all", erasureMeets},
		{"two callers are merged, and are two again", callersMerged},
		{"what goes to another caller is sealed anew, every column", sealedAnew},
		{"what goes with a split is sealed anew, every column", splitSealedAnew},
		{"what goes with a hand-over is sealed anew, every column", handedSealedAnew},
		{"of two values for one key the later one stands", keysOfMerged},
		{"who is erased takes along who was merged into him", mergedAndGone},
		{"when nothing is moved", moveRefused},
		{"moves are undone in their order", movesUndoneInOrder},
		{"a caller is split, and is one again", callersSplit},
		{"no move is made up", movesForged},
		{"somebody else speaks in a call", handedOver},
		{"an erased caller is gone", erased},
		{"one number is erased three times over", erasedTwice},
		{"a caller rings while he is erased", erasedWhileCalling},
		{"every table with a caller is erased", erasedTables},
		{"a sealed value opens nowhere else", moved},
		{"no API key is forged", keysForged},
		{"no turn is changed, moved or taken away unseen", turnsForged},
		{"a call whose counts were changed goes on", wordsAfterForgery},
		{"no conversation is changed unseen", conversationsForged},
		{"no memory is changed unseen", memoriesForged},
		{"no memory is rolled back, brought back or taken away unseen", memoriesRolledBack},
		{"what is kept of a caller is told as it is stored, whatever is written", keptAnew},
		{"nothing is kept of a caller who is erased", keptGone},
		{"nothing is told from memory once the key is destroyed", keptUnderKey},
		{"who is given what is kept may change it", keptApart},
		{"what is kept while others write is never old", keptWhileWritten},
		{"what is kept is not read again", keptAtAll},
		{"a value from before rows were bound is refused", unboundRefused},
		{"the tenant door opens for no nameless tenant", oneDoor},
		{"one tenant cannot reach another's things by their ids", wall},
	}
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, open(t))
			s.tell(b)
			b.noiseUntouched()
		})
	}
}

// bench is what a story is told with.
type bench struct {
	*testing.T
	Opened
	ctx    context.Context
	tenant recaller.TenantID
	now    time.Time
	ids    int
	noise  noise
}

// noise is the second tenant.
type noise struct {
	tenant   recaller.TenantID
	opened   recaller.Opened
	memory   recaller.Memory
	reminder recaller.Reminder // of the memory, pending
	version  int64
	document recaller.Document       // the caller's
	thread   recaller.Thread         // the caller's
	house    recaller.Document       // the tenant's own
	second   recaller.ConversationID // an ended one, whose wrap-up is pending
}

// noiseJobs is how many jobs the second tenant has, all due in a year.
const noiseJobs = 2

// Words of the second tenant: none of the first one's results may hold them.
const secret = "xylophone"

// number is the caller's in both tenants.
const number = "+15551230001"

func newBench(t *testing.T, o Opened) *bench {
	b := &bench{T: t, Opened: o, ctx: context.Background(), tenant: "t1", now: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)}
	b.createTenant("t1", "First")
	b.createTenant("t2", "Second "+secret)
	b.noise.tenant = "t2"
	b.noise.opened = b.open("t2", opening{external: "CA1", name: secret})
	b.say("t2", b.noise.opened, "user: "+secret+" one", "assistant: "+secret+" two")
	m := b.memory(b.noise.opened.Caller.ID, "name", secret)
	m.Aliases = []string{secret}
	remembered, err := b.Store.StoreMemory(b.ctx, "t2", recaller.Storing{
		Memory: m, Call: b.toolCall(b.noise.opened, recaller.ToolStoreMemory), Reminder: b.reminder(b.now.AddDate(1, 0, 0)),
	})
	b.ok(err)
	b.noise.memory, b.noise.reminder = remembered.Memory, *remembered.Reminder
	_, err = b.Store.PutCheckpoint(b.ctx, "t2", recaller.Checkpoint{ID: "cp-noise", Caller: b.noise.opened.Caller.ID, Summary: secret, StagingData: []byte(`{}`), LastActivity: b.now, CreatedAt: b.now})
	b.ok(err)
	b.noise.thread, _, err = b.Store.CreateThread(b.ctx, "t2", recaller.ThreadCreating{Thread: b.thread(b.noise.opened.Caller.ID, "zq-external")})
	b.ok(err)
	b.noise.document = b.file("t2", b.paper(b.noise.opened.Caller.ID, secret, secret))
	b.noise.house = b.file("t2", b.paper("", secret, secret))
	for _, d := range []recaller.Document{b.noise.document, b.noise.house} {
		b.indexPaper("t2", d, toward(0), "tea coffee "+secret)
	}
	second := b.open("t2", opening{})
	b.noise.second = second.Conversation.ID
	b.index("t2", second.Conversation, toward(0), "tea coffee "+secret)
	_, err = b.Store.CloseConversation(b.ctx, "t2", recaller.Closing{
		Conversation: second.Conversation.ID, Status: recaller.Completed, EndedAt: b.now,
		Steps: planned(),
		Job:   &recaller.Job{ID: "job-noise", Kind: "wrapup", Subject: string(second.Conversation.ID), RunAt: b.now.AddDate(1, 0, 0)},
	})
	b.ok(err)
	b.agreed("t2", second, secret+" at nine")
	b.noise.version, err = b.Store.ContentVersion(b.ctx, "t2", b.noise.opened.Caller.ID)
	b.ok(err)
	return b
}

// noiseUntouched ends every story: whatever it did, the second tenant's things are as they were.
func (b *bench) noiseUntouched() {
	b.Helper()
	v, err := b.Store.ContentVersion(b.ctx, "t2", b.noise.opened.Caller.ID)
	b.ok(err)
	if v != b.noise.version {
		b.Errorf("the second tenant's caller changed: version %d, want %d", v, b.noise.version)
	}
	turns, err := b.Store.Turns(b.ctx, "t2", b.noise.opened.Conversation)
	b.ok(err)
	if len(turns) != 2 || turns[0].Text != secret+" one" {
		b.Errorf("the second tenant's words changed: %d turns", len(turns))
	}
}

func (b *bench) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// fails wants an error of a kind.
func (b *bench) fails(err error, kind recaller.Kind) {
	b.Helper()
	if err == nil || recaller.KindOf(err) != kind {
		b.Fatalf("got %v, want an error of kind %q", err, kind)
	}
}

// own fails if a result holds anything of the second tenant's.
func (b *bench) own(results ...any) {
	b.Helper()
	for _, r := range results {
		if s := fmt.Sprintf("%+v", r); strings.Contains(s, secret) || strings.Contains(s, string(b.noise.opened.Caller.ID)) {
			b.Fatalf("the second tenant shows in %T", r)
		}
	}
}

func (b *bench) id(kind string) string {
	b.ids++
	return fmt.Sprintf("%s-%04d", kind, b.ids)
}

// later moves the story's clock.
func (b *bench) later(d time.Duration) time.Time {
	b.now = b.now.Add(d)
	return b.now
}

func (b *bench) createTenant(id recaller.TenantID, name string) {
	b.Helper()
	t := recaller.Tenant{ID: id, Name: name, CreatedAt: b.later(time.Second)}.WithDefaults()
	key := recaller.APIKey{ID: recaller.KeyID("key-" + string(id)), Tenant: id, Scope: recaller.ScopeAdmin, Label: name, CreatedAt: b.now}
	b.ok(b.Store.CreateTenant(b.ctx, t, key, []byte("hash of "+string(id))))
}

// opening is what a story says of a conversation to be opened.
type opening struct {
	identities []recaller.Identity // default: the number
	external   string
	name       string
	source     recaller.NameSource
	channel    recaller.Channel
	once       recaller.Once
}

func (b *bench) request(o opening) recaller.Opening {
	if o.identities == nil {
		o.identities = []recaller.Identity{{Kind: recaller.IdentityPhone, Value: number}}
	}
	if o.channel == "" {
		o.channel = recaller.ChannelVoice
	}
	if o.source == "" {
		o.source = recaller.NameGiven
	}
	return recaller.Opening{
		Once: o.once, Identities: o.identities, NewCaller: recaller.CallerID(b.id("caller")), Name: o.name, NameSource: o.source,
		Conversation: recaller.Conversation{
			ID: recaller.ConversationID(b.id("conv")), ExternalID: o.external, Channel: o.channel, Direction: recaller.Inbound,
			Status: recaller.Active, StartedAt: b.now, LastActivityAt: b.now,
			PlatformIDs: map[string]string{"twilio": "CA" + o.external}, Attestation: recaller.Attestation{Level: "A", Passed: true, Told: "TN-Validation-Passed-A"}, Metadata: []byte(`{"queue":"sales"}`),
		},
	}
}

func (b *bench) open(tenant recaller.TenantID, o opening) recaller.Opened {
	b.Helper()
	out, err := b.Store.OpenConversation(b.ctx, tenant, b.request(o))
	b.ok(err)
	return out
}

// turns makes turns from "speaker: text" lines, a second apart.
func (b *bench) turns(lines ...string) []recaller.Turn {
	out := make([]recaller.Turn, len(lines))
	for i, l := range lines {
		speaker, text, _ := strings.Cut(l, ": ")
		out[i] = recaller.Turn{ID: recaller.TurnID(b.id("turn")), Speaker: recaller.Speaker(speaker), Text: text, At: b.later(time.Second), Confidence: 1}
	}
	return out
}

func (b *bench) say(tenant recaller.TenantID, o recaller.Opened, lines ...string) recaller.Appended {
	b.Helper()
	out, err := b.Store.AppendTurns(b.ctx, tenant, recaller.Appending{
		Conversation: o.Conversation.ID, Caller: o.Caller.ID, Turns: b.turns(lines...), At: b.now,
	})
	b.ok(err)
	return out
}

func (b *bench) close(o recaller.Opened, status recaller.Status) recaller.Closed {
	b.Helper()
	out, err := b.Store.CloseConversation(b.ctx, b.tenant, b.closing(o, status))
	b.ok(err)
	return out
}

// planned are the steps of a wrap-up in the tests.
func planned() []recaller.PlannedStep {
	var out []recaller.PlannedStep
	for _, step := range []recaller.Step{
		recaller.StepSummarise, recaller.StepAnalyse, recaller.StepExtract, recaller.StepEmbed,
	} {
		out = append(out, recaller.PlannedStep{Step: step, State: recaller.StepPending})
	}
	return out
}

// unasked are the steps of an import that is not to be written up.
func unasked() []recaller.PlannedStep {
	out := planned()
	for i := range out {
		out[i].State, out[i].Reason = recaller.StepSkipped, recaller.NotAskedFor
	}
	return out
}

func (b *bench) closing(o recaller.Opened, status recaller.Status) recaller.Closing {
	return recaller.Closing{
		Conversation: o.Conversation.ID, Status: status, EndedAt: b.now, Duration: 90 * time.Second, Reason: "hangup", Steps: planned(),
		Job: &recaller.Job{ID: b.id("job"), Kind: "wrapup", Subject: string(o.Conversation.ID), RunAt: b.now},
	}
}

func (b *bench) remember(tenant recaller.TenantID, caller recaller.CallerID, key, value string) recaller.MemoryWritten {
	b.Helper()
	out, err := b.Store.StoreMemory(b.ctx, tenant, recaller.Storing{Memory: b.memory(caller, key, value)})
	b.ok(err)
	return out
}

func (b *bench) memory(caller recaller.CallerID, key, value string) recaller.Memory {
	at := b.later(time.Second)
	return recaller.Memory{
		ID: recaller.MemoryID(b.id("memory")), Caller: caller, Type: recaller.Fact, Key: key, Value: value, Confidence: 0.9,
		Source: recaller.SourceAPI, PrivacyScope: recaller.LineOnly, CreatedAt: at, ConfirmedAt: at,
	}
}

// toolCall is a call of a tool in a conversation, as it is to be recorded.
func (b *bench) toolCall(o recaller.Opened, tool recaller.Tool) *recaller.ToolCall {
	return &recaller.ToolCall{ID: b.id("call"), Conversation: o.Conversation.ID, Tool: tool, At: b.now}
}

// reminder is a reminder to be set.
func (b *bench) reminder(due time.Time) *recaller.Reminder {
	return &recaller.Reminder{ID: recaller.ReminderID(b.id("reminder")), DueAt: due}
}

func eq[T comparable](b *bench, what string, got, want T) {
	b.Helper()
	if got != want {
		b.Errorf("%s: got %v, want %v", what, got, want)
	}
}
