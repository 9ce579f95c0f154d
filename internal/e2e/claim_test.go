package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller/internal/store/postgres"
)

// A server whose claim to the database another took, while its connection was lost, stops with a failure, for its
// supervisor to start it again. It does not start as long as the other one is there, and then carries on where the call
// broke off.
func TestAServerWhoseDatabaseAnotherTookStops(t *testing.T) {
	t.Parallel()
	s := serveIn(t, onPostgres, "RECALLER_SHUTDOWN_GRACE=60s")
	call := phone{t, s.admin}.ring(number())
	phone{t, s.admin}.say(call.Conversation.ID, user("My cat is called Miso."))

	sql(t, s.db, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I CONNECTION LIMIT 0', current_database()); END $$`) // but for superusers
	sql(t, s.db, `SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE locktype = 'advisory' AND granted
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
	other, err := postgres.Hold(t.Context(), s.db.Super, func(err error) { t.Errorf("the other's claim: %v", err) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Release() }) // it may have been
	sql(t, s.db, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I CONNECTION LIMIT -1', current_database()); END $$`)
	select {
	case <-s.exited:
	case <-time.After(patience):
		t.Fatalf("it goes on\n%s", s.output.tail())
	}
	if code := s.cmd.ProcessState.ExitCode(); code != 1 {
		t.Errorf("got exit code %d, want 1", code)
	}
	holds(t, "what it said", s.output.String(), "another recaller process has taken the database", "!panic", "!DATA RACE")

	out, err := s.command("serve").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "in use by another") {
		t.Errorf("a start while the other has it: got %v, %s", err, out)
	}
	if err := other.Release(); err != nil {
		t.Fatal(err)
	}
	s.start()
	rec := phone{t, s.admin}.read(call.Conversation.ID)
	if rec.Conversation.Status != "active" || len(rec.Turns) != 1 {
		t.Errorf("got %+v with %d turns, want it active, with its turn", rec.Conversation, len(rec.Turns))
	}
}
