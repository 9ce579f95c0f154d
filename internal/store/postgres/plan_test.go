package postgres_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/postgres/postgrestest"
	"github.com/recallerhq/recaller/internal/store/storetest"
)

// TestStore tells the stories of every store. Then it asks Postgres, as the role that serves, how it would carry out each
// statement that they made the store send, on tables of which one tenant has most: none may read a whole table, or all of
// a tenant's rows of one. Policies must not keep it from that: an operator that is not leakproof is not looked up in an
// index. Every statement but those across tenants names the tenant, too.
func TestStore(t *testing.T) { //nolint:tparallel // the stories come first
	t.Parallel()
	var l storetest.Listener
	t.Run("stories", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) storetest.Opened {
			e := open(t, postgrestest.Database(t).App)
			v := newVault(t)
			return storetest.Opened{Store: store.New(l.To(e), v), Vault: v, Engine: e, CallerTables: func() []string { return tablesWith(t, e, "caller_id") }}
		})
	})
	db := postgrestest.Database(t)
	super := connect(t, db.Super)
	crowded(t, super)
	c := connect(t, db.App)
	run(t, c, `SET plan_cache_mode = force_generic_plan`)
	n := 0
	for _, bad := range []string{`SELECT body FROM memories WHERE tenant_id = $1 AND confidence > 0.5`, `SELECT body FROM memories WHERE tenant_id = $1 AND id || '' = $2`, `SELECT max(at) FROM turns`} {
		n++
		if !slices.ContainsFunc(explain(t, c, n, bad, strings.Count(bad, "$")), step.wasteful) {
			t.Errorf("a wasteful statement passes: %s", bad)
		}
	}
	for query, args := range l.Asked() {
		across := strings.Contains(query, "FROM jobs") || strings.HasPrefix(query, "UPDATE jobs") || strings.Contains(query, "FROM tenants") || strings.Contains(query, "tenants SET") || strings.Contains(query, "FROM tenant_numbers") || strings.Contains(query, "set_config")
		if !across && !strings.Contains(query, "tenant_id = $1") && !strings.HasPrefix(query, "INSERT INTO") {
			t.Errorf("names no tenant: %s", query)
		}
		if strings.HasPrefix(query, "SELECT count(*) FROM jobs") || strings.HasPrefix(query, "SELECT id FROM tenants") || strings.Contains(query, "FROM api_keys") || strings.Contains(query, "set_config") || strings.Contains(query, "<=>") || strings.HasPrefix(query, "SELECT count(*) FROM (") {
			continue // they are about all rows, about very few, or about none; searches have a test of their own
		}
		n++
		past := storetest.ReadsWaiting(query)
		for _, step := range explain(t, c, n, query, args) {
			if step.wasteful() {
				t.Errorf("%s\n\t%s", step, query)
			}
			past = past && step.Index != "reminders_waiting"
		}
		if past {
			t.Errorf("reads the reminders that are past too: %s", query)
		}
	}
	if n < 50 {
		t.Errorf("only %d statements were overheard", n)
	}
	for _, query := range l.Across() {
		if !slices.ContainsFunc([]string{
			"UPDATE identities SET kind = 'erased", "UPDATE conversations SET external_token = NULL", "UPDATE threads SET external_token = NULL", // an erasure begins; its job is nobody's
			"FROM documents WHERE", "UPDATE documents SET", "FROM document_tags WHERE", "FROM document_words WHERE", "FROM document_embeddings WHERE", // the tenant's own have the empty caller
			"/* moves */", "FROM checkpoints WHERE", "SELECT kind, token, value FROM identities", // rows go from one caller to another
			"c.caller_id = $", // a search that is narrowed to a caller
		}, func(may string) bool { return strings.Contains(query, may) }) {
			t.Errorf("is about one caller, in a transaction across callers: %s", query)
		}
	}
}

// step is a node of a plan.
type step struct {
	Type   string `json:"Node Type"`
	Table  string `json:"Relation Name"`
	Index  string `json:"Index Name"`
	Cond   string `json:"Index Cond"`
	Order  string `json:"Order By"`
	Filter string
	Plans  []step
}

func (s step) String() string {
	return fmt.Sprintf("%s on %s %s (%s) order %s filter %s", s.Type, s.Table, s.Index, s.Cond, s.Order, s.Filter)
}

// tenantOnly is an index condition that leaves all of a tenant's rows.
var tenantOnly = regexp.MustCompile(`^\(+(\w+\.)?tenant_id = [^()]*(\(InitPlan \d+\)\.col1|\$\d+|'t1'::text|[^()]*)\)+( AND \(+(\w+\.)?tenant_id = [^()]*(\(InitPlan \d+\)\.col1|\$\d+)?\)+)*$`)

// wasteful reports whether a step reads a whole table, or by nothing more than the tenant.
func (s step) wasteful() bool {
	switch {
	case s.Type == "Seq Scan":
		return true
	case !strings.Contains(s.Type, "Index"):
		return false
	case s.Index == "callers_erasing", s.Index == "documents_pinned": // they are never many
		return false
	case s.Cond == "" && s.Order == "":
		return !strings.HasPrefix(s.Index, "jobs_") // the queue is read from its front
	}
	return s.Order == "" && tenantOnly.MatchString(s.Cond)
}

func explain(t *testing.T, c *pgx.Conn, n int, query string, args int) (steps []step) {
	t.Helper()
	name := fmt.Sprint("p", n)
	if _, err := c.Exec(t.Context(), `PREPARE `+name+` AS `+query); err != nil {
		t.Errorf("%s: %v", query, err)
		return nil
	}
	nulls := ""
	if args > 0 {
		nulls = "(" + strings.TrimSuffix(strings.Repeat("NULL, ", args), ", ") + ")"
	}
	var raw []byte
	if err := c.QueryRow(t.Context(), `EXPLAIN (FORMAT JSON) EXECUTE `+name+nulls, pgx.QueryExecModeSimpleProtocol).Scan(&raw); err != nil {
		t.Errorf("%s: %v", query, err)
		return nil
	}
	var plans []struct{ Plan step }
	if err := json.Unmarshal(raw, &plans); err != nil {
		t.Fatal(err)
	}
	var walk func(s step)
	walk = func(s step) {
		steps = append(steps, s)
		for _, p := range s.Plans {
			walk(p)
		}
	}
	for _, p := range plans {
		walk(p.Plan)
	}
	return steps
}
