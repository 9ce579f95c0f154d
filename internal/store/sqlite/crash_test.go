package sqlite_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/vault"
)

// The environment by which the test binary, started anew, knows that it is the one to be killed.
const (
	crashDir = "RECALLER_CRASH_TEST_DIR"
	crashKey = "RECALLER_CRASH_TEST_KEY"
)

// said is a turn that was acknowledged.
type said struct {
	Conversation recaller.ConversationID
	Caller       recaller.CallerID
	Turn         recaller.TurnID
	Number       int
	Text         string
}

// TestKill kills a process in the middle of 64 writers, as nothing but a real kill does, and looks for every turn that
// was acknowledged.
func TestKill(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(crashDir); dir != "" {
		writeUntilKilled(t, dir, os.Getenv(crashKey))
		return
	}
	for _, after := range []int{1, 500, 3000} {
		t.Run(fmt.Sprint("after ", after, " turns"), func(t *testing.T) {
			t.Parallel()
			dir, key := t.TempDir(), vault.NewKey()
			heard := killAfter(t, dir, key, after)
			e := open(t, filepath.Join(dir, "recaller.db"), sqlite.Options{})
			s := store.New(e, openVault(t, filepath.Join(dir, "keys.db"), key))
			if err := s.Check(context.Background()); err != nil {
				t.Error(err)
			}
			verify(t, s, heard)
		})
	}
}

// killAfter runs the writers in a process of their own and kills it once that many turns were acknowledged.
func killAfter(t *testing.T, dir, key string, after int) []said {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKill$", "-test.timeout=1m")
	cmd.Env = append(os.Environ(), crashDir+"="+dir, crashKey+"="+key)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var heard []said
	lines := bufio.NewScanner(out)
	for lines.Scan() { // to the end: what was said before the kill is in the pipe
		var s said
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			continue // the line that the kill cut short
		}
		heard = append(heard, s)
		if len(heard) == after {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // it was killed
	if cmd.ProcessState.Success() || len(heard) < after {
		t.Fatalf("the process ended by itself after %d turns", len(heard))
	}
	return heard
}

// writeUntilKilled has 64 calls talk, and tells each turn when it was acknowledged.
func writeUntilKilled(t *testing.T, dir, key string) {
	ctx := context.Background()
	e := open(t, filepath.Join(dir, "recaller.db"), sqlite.Options{})
	s := store.New(e, openVault(t, filepath.Join(dir, "keys.db"), key))
	if err := s.CreateTenant(ctx, recaller.Tenant{ID: "t"}, recaller.APIKey{ID: "k", Tenant: "t"}, []byte("k")); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex // of the output
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			o, err := s.OpenConversation(ctx, "t", recaller.Opening{
				Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: fmt.Sprintf("+1555%07d", i/2)}}, NewCaller: recaller.CallerID(fmt.Sprint("caller-", i)),
				Conversation: recaller.Conversation{
					ID: recaller.ConversationID(fmt.Sprint("conv-", i)), Channel: recaller.ChannelVoice, Direction: recaller.Inbound,
					Status: recaller.Active, StartedAt: time.Unix(1e9, 0), LastActivityAt: time.Unix(1e9, 0),
				},
			})
			if err != nil {
				t.Error(err)
				return
			}
			for n := 0; ; n++ {
				turns := make([]recaller.Turn, 1+n%3)
				for k := range turns {
					turns[k] = recaller.Turn{ID: recaller.TurnID(fmt.Sprint("turn-", i, "-", n, "-", k)), Speaker: recaller.User, Text: fmt.Sprint("words ", i, " ", n, " ", k), At: time.Unix(1e9, 0), Confidence: 1}
				}
				out, err := s.AppendTurns(ctx, "t", recaller.Appending{Conversation: o.Conversation.ID, Caller: o.Caller.ID, Turns: turns, At: time.Unix(1e9, 0)})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for _, turn := range out.Turns {
					line, _ := json.Marshal(said{o.Conversation.ID, o.Caller.ID, turn.ID, turn.Number, turn.Text})
					_, _ = os.Stdout.Write(append(line, '\n'))
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

// verify wants every acknowledged turn, none twice, and numbers without gaps.
func verify(t *testing.T, s *store.Store, heard []said) {
	t.Helper()
	ctx := context.Background()
	stored := map[recaller.TurnID]recaller.Turn{}
	checked := map[recaller.ConversationID]bool{}
	for _, h := range heard {
		if checked[h.Conversation] {
			continue
		}
		checked[h.Conversation] = true
		conv, err := s.Conversation(ctx, "t", string(h.Conversation))
		if err != nil {
			t.Fatal(err)
		}
		turns, err := s.Turns(ctx, "t", conv)
		if err != nil {
			t.Fatal(err)
		}
		if conv.Turns != len(turns) {
			t.Errorf("%s counts %d turns and has %d", conv.ID, conv.Turns, len(turns))
		}
		for i, turn := range turns {
			if turn.Number != i {
				t.Errorf("%s: turn %d has number %d", conv.ID, i, turn.Number)
			}
			if _, twice := stored[turn.ID]; twice {
				t.Errorf("turn %s is there twice", turn.ID)
			}
			stored[turn.ID] = turn
		}
	}
	lost := 0
	for _, h := range heard {
		if got, ok := stored[h.Turn]; !ok || got.Number != h.Number || got.Text != h.Text {
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d acknowledged turns were lost or changed", lost, len(heard))
	}
	t.Logf("%d turns acknowledged in %d conversations, %d stored", len(heard), len(checked), len(stored))
}
