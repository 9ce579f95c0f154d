// Package privacy is what a caller may ask of us: everything that is held about him, and its erasure with a signed
// receipt (spec P13, B6). It also deletes archive files whose days are over (V4).
//
// It is not for keys (vault) nor for rows (store): it puts their work in the order that makes an erasure final.
package privacy

import (
	"context"
	"encoding/json"
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

	// BeginErasure hides a caller from every read and leaves a job, in one commit.
	BeginErasure(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, job recaller.Job) error
	// EraseRows removes every row of a caller. It may be repeated.
	EraseRows(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (recaller.Erased, error)
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
	Turns(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.Turn, error)
}

// Archive holds the sealed files.
type Archive interface {
	DeleteCaller(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (files int, err error)
	DeleteBefore(ctx context.Context, tenant recaller.TenantID, before time.Time) (files int, err error)
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
	Tenants Tenants
	Forget  func(recaller.TenantID, recaller.CallerID) // drops what memory holds of a caller: index, live state, events
	Now     func() time.Time
	NewID   func() string
}

// Service carries out the use cases. Safe for concurrent use.
type Service struct{ Deps }

// New returns a Service.
func New(deps Deps) *Service { return &Service{deps} }

// Export is everything that is held about a caller.
type Export struct {
	ExportedAt    time.Time
	Caller        recaller.Caller
	Checkpoint    *recaller.Checkpoint
	Memories      []recaller.Memory // every version
	Conversations []ExportedConversation
}

// ExportedConversation is a conversation with its words.
type ExportedConversation struct {
	recaller.Conversation
	Words []recaller.Turn
}

// Export returns everything that is held about a caller.
func (s *Service) Export(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (Export, error) {
	c, err := s.Store.Caller(ctx, tenant, caller)
	if err != nil {
		return Export{}, err
	}
	out := Export{ExportedAt: s.Now(), Caller: c}
	cp, err := s.Store.Checkpoint(ctx, tenant, caller)
	switch {
	case err == nil:
		out.Checkpoint = &cp
	case recaller.KindOf(err) != recaller.NotFound:
		return out, err
	}
	if out.Memories, err = s.memories(ctx, tenant, caller); err != nil {
		return out, err
	}
	out.Conversations, err = s.conversations(ctx, tenant, caller)
	return out, err
}

func (s *Service) memories(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) ([]recaller.Memory, error) {
	f := recaller.MemoryFilter{
		Statuses: []recaller.MemoryStatus{recaller.MemoryActive, recaller.MemorySuperseded, recaller.MemoryForgotten},
		Page:     recaller.Page{Limit: 200},
	}
	var out []recaller.Memory
	for {
		list, next, err := s.Store.Memories(ctx, tenant, caller, f)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
		if next == "" {
			return out, nil
		}
		f.Page.Cursor = next
	}
}

func (s *Service) conversations(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) ([]ExportedConversation, error) {
	f := recaller.ConversationFilter{Caller: caller, Page: recaller.Page{Limit: 200}}
	var out []ExportedConversation
	for {
		list, next, err := s.Store.Conversations(ctx, tenant, f)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			turns, err := s.Words.Turns(ctx, tenant, c)
			if err != nil {
				return nil, err
			}
			out = append(out, ExportedConversation{c, turns})
		}
		if next == "" {
			return out, nil
		}
		f.Page.Cursor = next
	}
}

// Erase removes a caller for good and returns the signed receipt. The order makes it final whatever happens: the caller
// is hidden and a job is left; the data key is destroyed, which makes every copy unreadable, backups of the data
// included; then the rows and files go. A crash in between is finished by the job. Erasing again returns the receipt.
func (s *Service) Erase(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (recaller.Receipt, error) {
	job := recaller.Job{ID: s.NewID(), Tenant: tenant, Kind: JobErase, Subject: string(caller), RunAt: s.Now().Add(time.Minute)}
	if err := s.Store.BeginErasure(ctx, tenant, caller, job); err != nil {
		if r, rerr := s.Store.Receipt(ctx, tenant, caller); rerr == nil {
			return r, nil
		}
		return recaller.Receipt{}, err
	}
	return s.Finish(ctx, job)
}

// Finish carries an erasure that has begun to its end. It may be repeated.
func (s *Service) Finish(ctx context.Context, job recaller.Job) (recaller.Receipt, error) {
	tenant, caller := job.Tenant, recaller.CallerID(job.Subject)
	fingerprint, err := s.Vault.DestroyCaller(ctx, tenant, caller)
	if err != nil {
		return recaller.Receipt{}, err
	}
	s.Forget(tenant, caller)
	erased, err := s.Store.EraseRows(ctx, tenant, caller)
	if err != nil {
		return recaller.Receipt{}, err
	}
	files, err := s.Archive.DeleteCaller(ctx, tenant, caller)
	if err != nil {
		return recaller.Receipt{}, err
	}
	if files > 0 {
		erased.Rows["archive_files"] = files
	}
	r := recaller.Receipt{
		ID: recaller.ReceiptID(s.NewID()), Tenant: tenant, Caller: caller, ErasedAt: s.Now().UTC().Truncate(time.Microsecond),
		Erased: erased.Rows, KeyFingerprint: fingerprint,
	}
	if r.Signature, r.PublicKey, err = s.Vault.Sign(ctx, SignedBytes(r)); err != nil {
		return recaller.Receipt{}, err
	}
	return r, s.Store.PutReceipt(ctx, r, job)
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

// Expire deletes the archive files whose days are over, in every tenant.
func (s *Service) Expire(ctx context.Context) (files int, err error) {
	ids, err := s.Store.TenantIDs(ctx)
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		t, err := s.Tenants.Tenant(ctx, id)
		if err != nil {
			return files, err
		}
		n, err := s.Archive.DeleteBefore(ctx, id, s.Now().AddDate(0, 0, -t.ArchiveDays))
		files += n
		if err != nil {
			return files, err
		}
	}
	return files, nil
}
