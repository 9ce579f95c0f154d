package httpapi

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// sealed is three data keys under one key-encryption key, which can be exchanged once; turn wraps the next of them.
type sealed struct {
	mu    sync.Mutex
	state Encryption
}

func (s *sealed) Status(context.Context) (Encryption, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.MasterKeyID == "" {
		s.state = Encryption{MasterKeyID: "a1", From: "file", DataKeys: 3, Under: map[string]int{"a1": 3}}
	}
	return s.state, nil
}

func (s *sealed) Rotate(ctx context.Context) (Encryption, error) {
	if _, err := s.Status(ctx); err != nil {
		return Encryption{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.state.From == "environment":
		return Encryption{}, recaller.Errorf(recaller.Conflict, "the configuration holds the key")
	case !s.state.Rotation.Running:
		s.state.MasterKeyID, s.state.Rotation = "b2", Rotation{Running: true, Total: 3}
	}
	return s.state, nil
}

func (s *sealed) turn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &s.state.Rotation
	r.Done++
	r.Running = r.Done < r.Total
	s.state.Under = map[string]int{"a1": r.Total - r.Done, "b2": r.Done}
}

func TestTheMasterKeyIsRotatedOverHTTP(t *testing.T) {
	t.Parallel()
	keys := &sealed{}
	h := setup(t, func(d *Deps, _ *Options) { d.Encryption = keys })
	ctx := context.Background()
	before, err := h.admin.Encryption(ctx)
	want := client.Encryption{MasterKeyID: "a1", From: "file", DataKeys: 3, DataKeysByMasterKey: map[string]int{"a1": 3}}
	if diff := cmp.Diff(want, before); err != nil || diff != "" {
		t.Errorf("before: %v %s", err, diff)
	}
	begun, err := h.admin.RotateEncryption(ctx)
	if err != nil || begun.Rotating == nil || *begun.Rotating != (client.Rotation{Running: true, Total: 3}) {
		t.Errorf("got %+v, %v; want a rotation of three keys that runs", begun, err)
	}
	keys.turn()
	if status, _, body := h.call(t, "POST", "/v1/encryption/rotate", ""); status != 202 {
		t.Errorf("a repeat: got %d %s, want 202 and the rotation that runs", status, body)
	}
	half, err := h.admin.Encryption(ctx)
	want = client.Encryption{
		MasterKeyID: "b2", From: "file", DataKeys: 3, DataKeysByMasterKey: map[string]int{"a1": 2, "b2": 1},
		Rotating: &client.Rotation{Running: true, Done: 1, Total: 3},
	}
	if diff := cmp.Diff(want, half); err != nil || diff != "" {
		t.Errorf("on the way: %v %s", err, diff)
	}
	golf, err := h.admin.CreateTenant(ctx, client.NewTenant{Name: "Golf"})
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"GET /v1/encryption", "POST /v1/encryption/rotate"} {
		verb, path, _ := strings.Cut(method, " ")
		h.refused(t, 403, verb, path, "", "Authorization", "Bearer "+golf.APIKey) // the keys seal every tenant's data
	}
	keys.state.From = "environment"
	if _, err := h.admin.RotateEncryption(ctx); !client.IsConflict(err) {
		t.Errorf("got %v, want a conflict: the configuration holds the key", err)
	}
}
