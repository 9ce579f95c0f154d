package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// table is a table of the schema, from the catalog: what a migration adds is in the tests without being named there.
type table struct {
	name    string
	columns []tableColumn
}

type tableColumn struct{ name, typ string }

// tenant is the column that a row's tenant is in.
func (tb table) tenant() string {
	if tb.name == "tenants" {
		return "id"
	}
	return "tenant_id"
}

// caller is the column that a row's caller is in; empty: the rows are of no caller.
func (tb table) caller() string {
	for _, c := range tb.columns {
		if c.name == "caller_id" || tb.name == "callers" && c.name == "id" || tb.name == "receipts" && c.name == "caller" {
			return c.name
		}
	}
	return ""
}

// tables lists the tables that hold rows of tenants.
func tables(t testing.TB, c *pgx.Conn) (list []table) {
	t.Helper()
	rows, err := c.Query(t.Context(), `SELECT c.table_name, c.column_name, c.udt_name FROM information_schema.columns c
		JOIN information_schema.tables t USING (table_schema, table_name)
		WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.table_name <> 'goose_db_version' ORDER BY c.table_name, c.ordinal_position`)
	if err != nil {
		t.Fatal(err)
	}
	var name string
	var col tableColumn
	if _, err := pgx.ForEachRow(rows, []any{&name, &col.name, &col.typ}, func() error {
		if len(list) == 0 || list[len(list)-1].name != name {
			list = append(list, table{name: name})
		}
		last := &list[len(list)-1]
		last.columns = append(last.columns, col)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(list) < 10 {
		t.Fatalf("only %d tables were found", len(list))
	}
	return list
}

// fill writes n rows into a table, of a tenant that the expression gives by the row's number i. value gives the
// expression of a column; where it gives none, one that fits the type is taken.
func (tb table) fill(t testing.TB, c *pgx.Conn, n int, tenant string, value func(table, tableColumn) string) {
	t.Helper()
	var names, values []string
	for _, col := range tb.columns {
		v := ""
		if value != nil {
			v = value(tb, col)
		}
		switch {
		case col.name == tb.tenant():
			v = tenant
		case v != "":
		case col.typ == "text":
			v = fmt.Sprintf(`'%s-' || (%s) || '-' || i`, col.name, tenant)
		case col.typ == "bytea":
			v = fmt.Sprintf(`decode(md5('%s-' || (%s) || '-' || i), 'hex')`, col.name, tenant)
		case col.typ == "int8", col.typ == "float8":
			v = `i`
		case col.typ == "bool":
			v = `FALSE`
		case col.typ == "halfvec":
			v = `'[1,2,3]'`
		case col.typ == "tsvector":
			v = `array_to_tsvector(ARRAY['any', md5(i::text), 'x' || (i % 50)])`
		default:
			t.Fatalf("%s.%s is of type %s: say here what to fill it with", tb.name, col.name, col.typ)
		}
		names, values = append(names, col.name), append(values, v)
	}
	run(t, c, fmt.Sprintf(`INSERT INTO %s (%s) SELECT %s FROM generate_series(1, %d) i`, tb.name, strings.Join(names, ", "), strings.Join(values, ", "), n))
}

// crowded fills every table with rows, most of them of one tenant, as they would be after a year: callers with a few
// hundred turns, memories and conversations each.
func crowded(t testing.TB, c *pgx.Conn) {
	t.Helper()
	for _, tb := range tables(t, c) {
		n := 10_000
		if strings.HasSuffix(tb.name, "_embeddings") {
			n = 1500 // its graph takes time to make
		}
		tenant := `CASE WHEN i % 10 = 0 THEN 't2' ELSE 't1' END`
		if tb.name == "tenants" {
			tenant = `'t' || i`
		}
		tb.fill(t, c, n, tenant, func(tb table, col tableColumn) string {
			switch tb.name + "." + col.name {
			case "callers.id", "receipts.caller", "checkpoints.caller_id":
				return `'c' || i`
			case "conversations.id", "conversation_embeddings.conversation_id", "conversation_words.conversation_id":
				return `'v' || i`
			case "conversations.status":
				return `CASE WHEN i % 40 = 0 THEN 'active' ELSE 'completed' END` // more than a caller has in all
			case "memories.status":
				return `CASE WHEN i % 4 = 0 THEN 'superseded' WHEN i % 20 = 1 THEN 'forgotten' ELSE 'active' END`
			case "reminders.status":
				return `CASE WHEN i % 50 = 0 THEN 'pending' WHEN i % 50 = 1 THEN 'dead' ELSE 'delivered' END`
			case "steps.conversation_id":
				return `'v' || (i / 4)`
			case "steps.state":
				return `CASE WHEN i % 1000 = 0 THEN 'pending' ELSE 'done' END`
			case "steps.step":
				return `(ARRAY['summarise', 'analyse', 'extract', 'embed'])[1 + i % 4]`
			case "jobs.kind":
				return `CASE WHEN i % 2 = 0 THEN 'wrapup' ELSE 'reminder' END`
			case "jobs.leased_until":
				return `CASE WHEN i % 100 = 0 THEN i ELSE 0 END`
			case "turns.number":
				return `i % 20`
			case "memories.version":
				return `1 + i % 3`
			case "identities.kind":
				return `'phone'`
			case "documents.id", "document_embeddings.document_id", "document_words.document_id":
				return `'d' || i`
			case "documents.pinned":
				return `i % 20 = 0`
			case "documents.origin":
				return `CASE WHEN i % 50 = 0 THEN 'written' ELSE 'session' END`
			case "conversation_embeddings.width", "document_embeddings.width":
				return `384`
			case "conversation_embeddings.vector", "document_embeddings.vector":
				return `(SELECT array_agg(((i * g) % 97)::float4)::halfvec FROM generate_series(1, 384) g WHERE i > 0)`
			case "conversation_embeddings.model", "document_embeddings.model":
				return `'recaller-static/2'`
			}
			switch col.name {
			case "caller_id":
				return `'c' || (i / 100)`
			case "conversation_id":
				return `'v' || (i / 20)`
			case "memory_id":
				return `'m' || i`
			}
			return ""
		})
	}
	run(t, c, `ANALYZE`)
}
