package privacy_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/privacy"
	"github.com/recallerhq/recaller/internal/usecasetest"
	"github.com/recallerhq/recaller/internal/vault"
)

// isGone checks that nothing of a caller can be had any more, by anybody.
func (b *bench) isGone(tenant recaller.TenantID, caller recaller.CallerID) {
	b.Helper()
	ctx := b.Context()
	_, err := b.Export(ctx, tenant, caller)
	b.is(err, recaller.NotFound)
	_, err = b.Place.Store.CallerByIdentity(ctx, tenant, recaller.Identity{Kind: recaller.IdentityPhone, Value: phone})
	b.is(err, recaller.NotFound)
	_, err = b.Place.Store.Corpus(ctx, tenant, caller)
	b.is(err, recaller.NotFound)
	for _, ref := range []string{"ana-7-ended", "ana-7-live"} {
		_, err = b.conversations.Get(ctx, tenant, ref, true)
		b.is(err, recaller.NotFound)
		if _, ok := b.conversations.LastTurn(tenant, recaller.ConversationID(ref)); ok {
			b.Errorf("%s: words are held in memory", ref)
		}
	}
	if list, _, err := b.conversations.List(ctx, tenant, recaller.ConversationFilter{}); err != nil || len(list) != 0 {
		b.Errorf("%d conversations are listed (%v)", len(list), err)
	}
	_, err = b.Vault.Opener(ctx, vault.Scope{Tenant: tenant, Caller: caller})
	b.is(err, recaller.NotFound)
	if files, err := filepath.Glob(filepath.Join(b.Dir, "archive", string(tenant), "*", "*")); err != nil || len(files) != 0 {
		b.Errorf("archive files are left: %v, %v", files, err)
	}
	if jobs, err := b.Place.Store.JobCount(ctx); err != nil || jobs != 0 {
		b.Errorf("%d jobs are left (%v)", jobs, err)
	}
}

// verifies checks a receipt as whoever gets it would: from its JSON, with nothing of ours.
func (b *bench) verifies(r recaller.Receipt) {
	b.Helper()
	raw, err := json.Marshal(r)
	b.ok(err)
	var told recaller.Receipt
	b.ok(json.Unmarshal(raw, &told))
	if !ed25519.Verify(told.PublicKey, privacy.SignedBytes(told), told.Signature) {
		b.Errorf("the signature of %s does not verify", raw)
	}
	told.KeyFingerprint += "0"
	if ed25519.Verify(told.PublicKey, privacy.SignedBytes(told), told.Signature) {
		b.Error("a receipt that was changed verifies")
	}
}

func TestErasureLeavesNothingButAReceipt(t *testing.T) {
	for _, tenant := range tenants {
		t.Run(string(tenant), func(t *testing.T) {
			b := newBench(t)
			other, _ := b.tell(tenant, "+12025550199", "bob-8")
			_, err := b.Erase(t.Context(), tenant, other) // so that the first one stands alone
			b.ok(err)
			caller, told := b.tell(tenant, phone, "ana-7")
			b.Clock.Advance(time.Minute)
			got, err := b.Erase(t.Context(), tenant, caller)
			b.ok(err)
			b.verifies(got)
			if got.Caller != caller || got.Tenant != tenant || len(got.KeyFingerprint) != 16 || !got.ErasedAt.Equal(b.Clock.Now()) {
				t.Errorf("got receipt %+v", got)
			}
			want := map[string]int{"callers": 1, "identities": 2, "conversations": 2, "memory_versions": 3, "checkpoints": 1, "documents": 1, "document_tags": 1, "wrapup_steps": 6, "request_marks": 2, "jobs": 2}
			if tenant == keep {
				want["turns"] = 4
			}
			if tenant == archived {
				want["archive_files"] = 2
			}
			if diff := cmp.Diff(want, got.Erased); diff != "" {
				t.Errorf("erased (-want +got):\n%s", diff)
			}
			b.isGone(tenant, caller)
			again, err := b.Erase(t.Context(), tenant, caller)
			if diff := cmp.Diff(got, again); diff != "" || err != nil {
				t.Errorf("erased again: %v (-first +second):\n%s", err, diff)
			}
			b.restart()
			b.isGone(tenant, caller)
			onlySealed(t, b.Dir, told...)

			s, err := b.conversations.Start(t.Context(), tenant, conversation.Start{Caller: conversation.CallerRef{Phone: phone}, ExternalID: "ana-7-live"})
			if err != nil || !s.FirstTime || s.Existing || s.Caller.ID == caller || s.Caller.Name != "" {
				t.Errorf("if he rings again: got %+v, %v; want somebody new", s, err)
			}
		})
	}
}

// onlySealed fails if a file under dir holds one of the words.
func onlySealed(t *testing.T, dir string, words ...string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		for _, w := range words {
			if len(w) > 4 && bytes.Contains(raw, []byte(w)) { // shorter ones turn up by chance
				t.Errorf("%s holds %q", filepath.Base(path), w)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestErasureOfNobody(t *testing.T) {
	b := newBench(t)
	caller, _ := b.tell(keep, phone, "ana-7")
	for tenant, id := range map[recaller.TenantID]recaller.CallerID{keep: "nobody", archived: caller} {
		_, err := b.Erase(t.Context(), tenant, id)
		b.is(err, recaller.NotFound)
	}
	if len(b.forgotten) != 0 {
		t.Errorf("forgot %v", b.forgotten)
	}
	if _, err := b.Export(t.Context(), keep, caller); err != nil {
		t.Errorf("another tenant's erasure reached him: %v", err)
	}
}

func TestErasureThatCannotBeginChangesNothing(t *testing.T) {
	b := newBench(t)
	caller, _ := b.tell(keep, phone, "ana-7")
	b.faults.Before("begin", usecasetest.Away)
	_, err := b.Erase(t.Context(), keep, caller)
	b.is(err, recaller.Unavailable)
	if _, err := b.Export(t.Context(), keep, caller); err != nil {
		t.Errorf("he is gone: %v", err)
	}
}

// The process dies between any two steps, before or after the step under way was carried out. From the first step on
// the caller is gone for everybody; the job finishes the rest, and the receipt is the same ever after.
func TestErasureIsFinishedWhateverHappens(t *testing.T) {
	for tenant, crashes := range map[recaller.TenantID][]bool{archived: {false, true}, ephemeral: {true}} {
		for _, step := range []string{"destroy", "files", "rows", "scrub", "sign", "put", "receipt"} {
			for _, when := range []string{"before", "after"} {
				for _, crash := range crashes {
					t.Run(fmt.Sprintf("%s %s %s crash=%v", tenant, when, step, crash), func(t *testing.T) {
						b := newBench(t)
						caller, told := b.tell(tenant, phone, "ana-7")
						set := b.faults.Before
						if when == "after" {
							set = b.faults.After
						}
						set(step, usecasetest.Away)
						_, err := b.Erase(t.Context(), tenant, caller)
						b.is(err, recaller.Unavailable)
						b.faults.Clear()
						if crash {
							b.restart()
						}
						_, err = b.Place.Store.Caller(t.Context(), tenant, caller)
						b.is(err, recaller.NotFound)

						got := b.finish(tenant, caller, step == "receipt" || (step == "put" && when == "after"))
						b.verifies(got)
						b.isGone(tenant, caller)
						onlySealed(t, b.Dir, told...)
						// Only a death between the rows and the receipt loses the count, as does an answer that never came.
						lost := (step == "rows" && when == "after") || (crash && (step == "scrub" || step == "sign" || (step == "put" && when == "before")))
						if n := got.Erased["conversations"]; n != 2 && !lost {
							t.Errorf("the receipt counts %v", got.Erased)
						}
						again, err := b.Erase(t.Context(), tenant, caller)
						if diff := cmp.Diff(got, again); diff != "" || err != nil {
							t.Errorf("asked again: %v (-first +second):\n%s", err, diff)
						}
					})
				}
			}
		}
	}
}

// An erasure that failed is asked for again, before its job runs: it goes on, and there is a receipt, whatever was done of it.
func TestAnErasureThatFailedIsAskedForAgain(t *testing.T) {
	for _, step := range []string{"destroy", "rows", "scrub", "sign", "put", "receipt"} {
		for _, crash := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s crash=%v", step, crash), func(t *testing.T) {
				b := newBench(t)
				caller, _ := b.tell(keep, phone, "ana-7")
				b.faults.Before(step, usecasetest.Away)
				_, err := b.Erase(t.Context(), keep, caller)
				b.is(err, recaller.Unavailable)
				b.faults.Clear()
				if crash {
					b.restart()
				}
				got, err := b.Erase(t.Context(), keep, caller)
				b.ok(err)
				b.verifies(got)
				b.isGone(keep, caller)
			})
		}
	}
}

// finish runs the job that an erasure left, or, if it needed none, reads the receipt.
func (b *bench) finish(tenant recaller.TenantID, caller recaller.CallerID, done bool) recaller.Receipt {
	b.Helper()
	b.Clock.Advance(2 * time.Minute)
	jobs, err := b.Place.Store.DueJobs(b.Context(), b.Clock.Now(), "", 10)
	b.ok(err)
	jobs = slices.DeleteFunc(jobs, func(j recaller.Job) bool { return j.Kind != privacy.JobErase })
	if done {
		if len(jobs) != 0 {
			b.Errorf("got jobs %+v, want none", jobs)
		}
		r, err := b.Erase(b.Context(), tenant, caller)
		b.ok(err)
		return r
	}
	if len(jobs) != 1 || jobs[0].Subject != string(caller) {
		b.Fatalf("got jobs %+v, want one for the caller", jobs)
	}
	r, err := b.Finish(b.Context(), jobs[0])
	b.ok(err)
	return r
}

// Two requests at once, or a request and the job of an earlier one: both get one receipt.
func TestErasuresAtOnceGiveOneReceipt(t *testing.T) {
	b := newBench(t)
	caller, _ := b.tell(archived, phone, "ana-7")
	receipts := make([]recaller.Receipt, 4)
	var wg sync.WaitGroup
	for i := range receipts {
		wg.Go(func() {
			var err error
			if receipts[i], err = b.Erase(context.Background(), archived, caller); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, r := range receipts[1:] {
		if diff := cmp.Diff(receipts[0], r); diff != "" {
			t.Errorf("two receipts:\n%s", diff)
		}
	}
	b.verifies(receipts[0])
	if receipts[0].Erased["conversations"] != 2 {
		t.Errorf("the receipt counts %v", receipts[0].Erased)
	}
	b.isGone(archived, caller)
}

func TestErasureIsNeverGivenUp(t *testing.T) {
	b := newBench(t)
	b.is(b.GiveUp(t.Context(), recaller.Job{Kind: privacy.JobErase}, usecasetest.Away()), recaller.Unavailable)
}

// The caller is on the line while he is erased: what he goes on to say is refused, and brings nothing back.
func TestErasureDuringACall(t *testing.T) {
	for _, tenant := range tenants {
		for _, step := range []string{"destroy", "files", "rows", "put"} {
			t.Run(fmt.Sprintf("%s at %s", tenant, step), func(t *testing.T) {
				b := newBench(t)
				caller, told := b.tell(tenant, phone, "ana-7")
				talk := func() error {
					_, _, err := b.conversations.AddTurns(t.Context(), tenant, "ana-7-live", recaller.Once{}, []conversation.TurnInput{{Speaker: recaller.User, Text: "I am still talking"}})
					if !errors.Is(err, recaller.NotFound) && !errors.Is(err, recaller.Conflict) {
						t.Errorf("a turn: got %v, want it refused", err)
					}
					_, err = b.memories.Store(t.Context(), tenant, caller, recaller.Once{}, memory.Input{Type: recaller.Fact, Key: "k", Value: "v"})
					b.is(err, recaller.NotFound)
					_, _, err = b.memories.PutCheckpoint(t.Context(), tenant, caller, memory.CheckpointInput{Summary: "s"})
					b.is(err, recaller.NotFound)
					_, err = b.conversations.End(t.Context(), tenant, "ana-7-live", conversation.End{})
					b.is(err, recaller.NotFound)
					return nil
				}
				b.faults.Before(step, talk)
				r, err := b.Erase(t.Context(), tenant, caller)
				b.ok(err)
				b.verifies(r)
				b.ok(talk())
				b.isGone(tenant, caller)
				onlySealed(t, b.Dir, append(told, "I am still talking")...)
			})
		}
	}
}

// Many talk at once while the caller is erased.
func TestErasureRacesWithTurns(t *testing.T) {
	for _, tenant := range tenants {
		t.Run(string(tenant), func(t *testing.T) {
			b := newBench(t)
			caller, _ := b.tell(tenant, phone, "ana-7")
			var wg sync.WaitGroup
			begun := make(chan struct{}, 4)
			for range 4 {
				wg.Go(func() {
					for n := 0; ; n++ {
						_, _, err := b.conversations.AddTurns(context.Background(), tenant, "ana-7-live", recaller.Once{}, []conversation.TurnInput{{Speaker: recaller.User, Text: "blah"}})
						if err != nil {
							if !errors.Is(err, recaller.NotFound) && !errors.Is(err, recaller.Conflict) {
								t.Errorf("got %v, want it refused", err)
							}
							return
						}
						if n == 3 {
							begun <- struct{}{}
						}
					}
				})
			}
			<-begun
			if _, err := b.Erase(t.Context(), tenant, caller); err != nil {
				t.Error(err)
			}
			wg.Wait()
			b.isGone(tenant, caller)
		})
	}
}

func TestReceiptSaysWhatItSigns(t *testing.T) {
	r := recaller.Receipt{
		ID: "r1", Tenant: "t1", Caller: "c1", ErasedAt: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC),
		Erased: map[string]int{"turns": 2, "callers": 1}, KeyFingerprint: "00ff", PublicKey: []byte{1}, Signature: []byte{2},
	}
	want := `{"id":"r1","tenant":"t1","caller_id":"c1","erased_at":"2026-11-21T09:00:00Z","erased":{"callers":1,"turns":2},"key_fingerprint":"00ff","public_key":null,"signature":null}`
	if got := string(privacy.SignedBytes(r)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if r.Signature == nil || r.PublicKey == nil {
		t.Error("telling what is signed changed the receipt")
	}
}

// A receipt is checked with nothing but itself and the installation's key.
func TestAReceiptIsCheckedLater(t *testing.T) {
	b := newBench(t)
	r := recaller.Receipt{ID: "r1", Tenant: "t1", Caller: "c1", ErasedAt: b.Now(), Erased: map[string]int{"turns": 2}, KeyFingerprint: "00ff"}
	signer, err := b.Vault.Signer(t.Context())
	b.ok(err)
	r.PublicKey, r.Signature = signer.Public(), signer.Sign(privacy.SignedBytes(r))
	check := func(what string, r recaller.Receipt, want privacy.Check) {
		t.Helper()
		if got, err := b.CheckReceipt(t.Context(), r); err != nil || got != want {
			t.Errorf("%s: got %+v, %v; want %+v", what, got, err, want)
		}
	}
	check("as it was issued", r, privacy.Check{Intact: true, Ours: true})
	changed := r
	changed.Erased = map[string]int{"turns": 3}
	check("with a count changed", changed, privacy.Check{})
	public, private, err := ed25519.GenerateKey(nil)
	b.ok(err)
	other := r
	other.PublicKey, other.Signature = public, ed25519.Sign(private, privacy.SignedBytes(r))
	check("signed by somebody else", other, privacy.Check{Intact: true})
	for field, bad := range map[string]recaller.Receipt{"public_key": {Signature: r.Signature}, "signature": {PublicKey: r.PublicKey}} {
		if _, err := b.CheckReceipt(t.Context(), bad); !errors.Is(err, recaller.Invalid) || !strings.Contains(err.Error(), field) {
			t.Errorf("without %s: got %v", field, err)
		}
	}
}

// A receipt tells of a backup that is running; where nobody can tell what backups have left, none is signed.
func TestAReceiptTellsOfARunningBackup(t *testing.T) {
	b := newBench(t)
	caller, _ := b.tell(keep, phone, "ana-7")
	b.copies.Err = recaller.Unavailable
	_, err := b.Erase(t.Context(), keep, caller)
	b.is(err, recaller.Unavailable)
	b.copies = usecasetest.Copies{Working: true}
	r, err := b.Erase(t.Context(), keep, caller)
	b.ok(err)
	if len(r.Remains) != 1 || r.Remains[0] != recaller.RemainBackup {
		t.Errorf("got %q to remain, want what the backup works in", r.Remains)
	}
	b.verifies(r)
}
