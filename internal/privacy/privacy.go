// Package privacy is what a caller may ask of us: everything that is held about him, and its erasure with a signed
// receipt (spec P13, B6). It also deletes archive files whose days are over (V4).
//
// It is not for keys (vault) nor for rows (store): it puts their work in the order that makes an erasure final.
package privacy

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
)

// JobErase is the kind of the job that finishes an erasure that a crash cut short; its subject is the caller's id.
const JobErase = "erase"

// Store is what this package asks of the store.
type Store interface {
	Caller(ctx context.Context, tenant recaller.TenantID, id recaller.CallerID) (recaller.Caller, error)
	Conversations(ctx context.Context, tenant recaller.TenantID, f recaller.ConversationFilter) (list []recaller.Conversation, next string, err error)
	Memories(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, f recaller.MemoryFilter) (list []recaller.Memory, next string, err error)
	Checkpoint(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (recaller.Checkpoint, error)
	Documents(ctx context.Context, tenant recaller.TenantID, f recaller.DocumentFilter) (list []recaller.Document, next string, err error)
	Threads(ctx context.Context, tenant recaller.TenantID, f recaller.ThreadFilter) (list []recaller.Thread, next string, err error)
	Reminders(ctx context.Context, tenant recaller.TenantID, f recaller.ReminderFilter) (list []recaller.Reminder, next string, err error)
	Acts(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) ([]recaller.Act, error)
	ToolCalls(ctx context.Context, tenant recaller.TenantID, conv recaller.ConversationID) ([]recaller.ToolCall, error)

	Moves(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, now time.Time) ([]recaller.Move, error)
	// MergedInto lists the callers who were merged into one.
	MergedInto(ctx context.Context, tenant recaller.TenantID, into recaller.CallerID) ([]recaller.CallerID, error)

	// BeginErasure hides a caller from every read and leaves a job, in one commit.
	BeginErasure(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, job recaller.Job) error
	// Erasing reports whether the job of an erasure is there: it has begun, and has no receipt yet.
	Erasing(ctx context.Context, job recaller.Job) (bool, error)
	// EraseRows removes every row of a caller. It may be repeated.
	EraseRows(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (recaller.Erased, error)
	// Scrub removes what the rows of erased callers have left in the database's files, and says where something remains.
	Scrub(ctx context.Context) ([]recaller.Remain, error)
	// PutReceipt stores the receipt and removes the job, in one commit.
	PutReceipt(ctx context.Context, r recaller.Receipt, job recaller.Job) error
	Receipt(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (recaller.Receipt, error)
	TenantIDs(ctx context.Context) ([]recaller.TenantID, error)
}

// Vault destroys keys and signs receipts.
type Vault interface {
	// DestroyCaller ends a caller's data key for ever and returns its fingerprint. Repeating it returns the same.
	DestroyCaller(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (fingerprint string, err error)
	Sign(ctx context.Context, message []byte) (signature, publicKey []byte, err error)
}

// Words reads a conversation's turns from wherever the retention keeps them.
type Words interface {
	// EachTurn ranges over the turns that a conversation counts, in order. An error ends them.
	EachTurn(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) iter.Seq2[recaller.Turn, error]
	// InTurn reads a page of what is long, when it is its turn: such reads are not to keep others from the store.
	InTurn(ctx context.Context, read func() error) error
	// Settle has the store told of calls whose caller it does not know yet. It fails where that cannot be done now.
	Settle(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) error
	// Forget drops the live conversations of a caller. When it returns no words of his are on their way to a file any
	// more.
	Forget(tenant recaller.TenantID, caller recaller.CallerID)
}

// Feed is told of what goes, for all who keep a view of it.
type Feed interface {
	// Forget tells that a caller was erased. When it returns, memory holds nothing of him.
	Forget(tenant recaller.TenantID, caller recaller.CallerID)
	// Anew tells of a caller some of whose words are gone, while he himself stays.
	Anew(tenant recaller.TenantID, caller recaller.CallerID)
}

// Archive holds the sealed files.
type Archive interface {
	DeleteCaller(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (files int, err error)
	// DeleteBefore deletes the files last written before a time, and tells whose they were, each caller once.
	DeleteBefore(ctx context.Context, tenant recaller.TenantID, before time.Time) (of []recaller.CallerID, files int, err error)
}

// Copies are the unsealed copies of the data that backups make for a moment.
type Copies interface {
	// Discard removes those that killed backups left, and reports whether there is one that is being worked in.
	Discard(ctx context.Context) (working bool, err error)
}

// Tenants gives the settings of a tenant, defaults filled in.
type Tenants interface {
	Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error)
}

// Deps are what a Service needs; all are required.
type Deps struct {
	Store   Store
	Vault   Vault
	Words   Words
	Archive Archive
	Copies  Copies
	Tenants Tenants
	Feed    Feed
	Now     func() time.Time
	NewID   func() string
}

// Service carries out the use cases. Safe for concurrent use.
type Service struct {
	Deps
	mu       sync.Mutex // guards erasures
	erasures map[erasure]*progress
}

// erasure names one that has begun.
type erasure struct {
	tenant recaller.TenantID
	caller recaller.CallerID
}

// progress is what tries at an erasure removed. It is kept until the receipt is stored.
type progress struct {
	sync.Mutex // held by the try that goes on, so that its receipt counts all of it; guards removed
	removed    map[string]int
}

// New returns a Service.
func New(deps Deps) *Service {
	return &Service{Deps: deps, erasures: map[erasure]*progress{}}
}

// Erase removes a caller for good and returns the signed receipt. The order makes it final whatever happens: the caller
// is hidden and a job is left; the data key is destroyed, which makes every copy unreadable, backups of the data
// included; then the files and rows go, and with them the traces that rows leave in the database's files. A crash in between
// is finished by the job. Erasing again goes on with it, or returns the receipt. What is held of calls that the store does
// not know yet is written before all that: some of it may be his.
//
// Those who were merged into him are erased first, each with a receipt of his own: their keys open copies, in backups, of
// what is his now. One who was merged has nothing of his own: it is a Conflict, which says whom to erase.
func (s *Service) Erase(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (recaller.Receipt, error) {
	c, err := s.Store.Caller(ctx, tenant, caller)
	if err == nil && c.MergedInto != "" {
		return recaller.Receipt{}, recaller.Errorf(recaller.Conflict,
			"the caller was merged into %s, who has all that was his: erase that one, or undo the merge first", c.MergedInto)
	}
	return s.erase(ctx, tenant, caller)
}

func (s *Service) erase(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (recaller.Receipt, error) {
	others, err := s.Store.MergedInto(ctx, tenant, caller) // into one who was merged himself
	if err != nil {
		return recaller.Receipt{}, err
	}
	for _, id := range others {
		if _, err := s.erase(ctx, tenant, id); err != nil {
			return recaller.Receipt{}, err
		}
	}
	if err := s.Words.Settle(ctx, tenant, caller); err != nil {
		return recaller.Receipt{}, err
	}
	job := recaller.Job{ID: s.NewID(), Tenant: tenant, Kind: JobErase, Subject: string(caller), RunAt: s.Now().Add(time.Minute)}
	err = s.Store.BeginErasure(ctx, tenant, caller, job)
	if errors.Is(err, recaller.NotFound) {
		return s.again(ctx, job, err)
	}
	if err != nil {
		return recaller.Receipt{}, err
	}
	return s.Finish(ctx, job)
}

// again erases a caller of whom there is no row, with the error that says so: his erasure has begun, is done, or he was never there.
func (s *Service) again(ctx context.Context, job recaller.Job, nobody error) (recaller.Receipt, error) {
	begun, err := s.Store.Erasing(ctx, job)
	if err != nil {
		return recaller.Receipt{}, err
	}
	if begun {
		return s.Finish(ctx, job)
	}
	r, err := s.Store.Receipt(ctx, job.Tenant, recaller.CallerID(job.Subject))
	if errors.Is(err, recaller.NotFound) {
		return recaller.Receipt{}, nobody
	}
	return r, err
}

// Finish carries an erasure that has begun to its end and returns its receipt; of several tries the first one's. What
// earlier tries of this process removed is counted in; a crash between the rows and the receipt loses the count.
func (s *Service) Finish(ctx context.Context, job recaller.Job) (recaller.Receipt, error) {
	e := erasure{job.Tenant, recaller.CallerID(job.Subject)}
	p := s.progress(e)
	p.Lock()
	defer p.Unlock()
	fingerprint, err := s.Vault.DestroyCaller(ctx, e.tenant, e.caller)
	if err != nil {
		return recaller.Receipt{}, err
	}
	s.Words.Forget(e.tenant, e.caller)
	s.Feed.Forget(e.tenant, e.caller)
	files, err := s.Archive.DeleteCaller(ctx, e.tenant, e.caller)
	p.count(map[string]int{"archive_files": files})
	if err != nil {
		return recaller.Receipt{}, err
	}
	erased, err := s.Store.EraseRows(ctx, e.tenant, e.caller)
	if err != nil {
		return recaller.Receipt{}, err
	}
	p.count(erased.Rows)
	remains, err := s.scrub(ctx)
	if err != nil {
		return recaller.Receipt{}, err
	}
	r := recaller.Receipt{
		ID: recaller.ReceiptID(s.NewID()), Tenant: e.tenant, Caller: e.caller, ErasedAt: s.Now().UTC().Truncate(time.Microsecond),
		Erased: p.removed, KeyFingerprint: fingerprint, Remains: remains,
	}
	if r.Signature, r.PublicKey, err = s.Vault.Sign(ctx, SignedBytes(r)); err != nil {
		return recaller.Receipt{}, err
	}
	if err := s.Store.PutReceipt(ctx, r, job); err != nil {
		return recaller.Receipt{}, err
	}
	s.settled(e)
	return s.Store.Receipt(ctx, e.tenant, e.caller)
}

// scrub removes the traces of what was erased, and says where some remain.
func (s *Service) scrub(ctx context.Context) ([]recaller.Remain, error) {
	remains, err := s.Store.Scrub(ctx)
	if err != nil {
		return nil, err
	}
	working, err := s.Copies.Discard(ctx)
	if working { // it may have begun before the rows were gone
		remains = append(remains, recaller.RemainBackup)
	}
	return remains, err
}

// GiveUp says that an erasure that has begun is never given up: the caller is hidden already, so nobody could ask for
// it again. It returns the cause, so that the job is kept and tried for ever.
func (s *Service) GiveUp(_ context.Context, _ recaller.Job, cause error) error { return cause }

// progress returns that of an erasure. Several tries share it.
func (s *Service) progress(e erasure) *progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.erasures[e]
	if p == nil {
		p = &progress{removed: map[string]int{}}
		s.erasures[e] = p
	}
	return p
}

// count adds what a try removed.
func (p *progress) count(more map[string]int) {
	for what, n := range more {
		if n > 0 {
			p.removed[what] += n
		}
	}
}

func (s *Service) settled(e erasure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.erasures, e)
}

// SignedBytes is what the signature of a receipt covers: the receipt as JSON, without public key and signature.
func SignedBytes(r recaller.Receipt) []byte {
	r.PublicKey, r.Signature = nil, nil
	b, err := json.Marshal(r)
	if err != nil { // a struct of strings, numbers and a time always marshals
		return nil
	}
	return b
}

// Expire deletes the archive files whose days are over, in every tenant; a failure in one does not keep it from the
// others. Words that are gone are found no more.
func (s *Service) Expire(ctx context.Context) (files int, err error) {
	ids, err := s.Store.TenantIDs(ctx)
	for _, id := range ids {
		n, terr := s.expire(ctx, id)
		files, err = files+n, errors.Join(err, terr)
	}
	return files, err
}

func (s *Service) expire(ctx context.Context, id recaller.TenantID) (files int, err error) {
	t, err := s.Tenants.Tenant(ctx, id)
	if err != nil {
		return 0, err
	}
	of, files, err := s.Archive.DeleteBefore(ctx, id, s.Now().AddDate(0, 0, -t.ArchiveDays))
	for _, caller := range of {
		s.Feed.Anew(id, caller)
	}
	return files, err
}
