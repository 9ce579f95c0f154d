package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"path/filepath"
	"reflect"
	"testing"

	"modernc.org/sqlite"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// connected gives a connection to an empty database.
func connected(t *testing.T) *conn {
	t.Helper()
	file, err := sqlite.NewConnector("file:" + filepath.Join(t.TempDir(), "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := newConn(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestAColumnIsReadAsWhatItIsWanted(t *testing.T) {
	t.Parallel()
	c := connected(t)
	seven := int64(7)
	for _, test := range []struct {
		column string
		want   any // nil: it does not fit
		into   any
	}{
		{`7`, int64(7), new(int64)},
		{`7`, 7, new(int)},
		{`7`, recaller.TenantID("7"), new(recaller.TenantID)},
		{`7`, &seven, new(*int64)},
		{`7`, 7.0, new(float64)},
		{`7.0`, 7, new(int)},
		{`'7'`, 7, new(int)},
		{`7.5`, nil, new(int)},
		{`'seven'`, nil, new(int64)},
		{`300`, nil, new(int8)},
		{`1`, true, new(bool)},
		{`0`, false, new(bool)},
		{`'yes'`, nil, new(bool)},
		{`'ann'`, "ann", new(string)},
		{`'ann'`, recaller.CallerID("ann"), new(recaller.CallerID)},
		{`'ann'`, []byte("ann"), new([]byte)},
		{`x'616e6e'`, "ann", new(string)},
		{`x'616e6e'`, []byte("ann"), new([]byte)},
		{`x'616e6e'`, store.Borrowed("ann"), new(store.Borrowed)},
		{`x'616e6e'`, sql.RawBytes("ann"), new(sql.RawBytes)},
		{`x'616e6e'`, json.RawMessage("ann"), new(json.RawMessage)},
		{`7`, any(int64(7)), new(any)},
		{`'ann'`, any("ann"), new(any)},
		{`x'616e6e'`, any([]byte("ann")), new(any)},
		{`1.5`, nil, new([]byte)},
		{`NULL`, (*int64)(nil), new(*int64)},
		{`NULL`, (*string)(nil), new(*string)},
		{`NULL`, []byte(nil), new([]byte)},
		{`NULL`, nil, new(string)},
		{`NULL`, nil, new(int64)},
		{`NULL`, nil, new(bool)},
		{`NULL`, nil, new(float64)},
	} {
		err := c.QueryRow(t.Context(), `SELECT `+test.column, nil, test.into)
		got := reflect.ValueOf(test.into).Elem().Interface()
		if (err == nil) != (test.want != nil) || err == nil && !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s as %T: got %v (%v), want %v", test.column, got, got, err, test.want)
		}
	}
	var one, two int
	if err := c.QueryRow(t.Context(), `SELECT 1`, nil, &one, &two); recaller.KindOf(err) != recaller.Internal {
		t.Errorf("two of one column: got %v, want it refused", err)
	}
}

// What is asked after the context has ended is not asked, and no further row is read.
func TestAReadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	for _, brief := range []bool{false, true} {
		c := connected(t)
		ctx, cancel := context.WithCancel(t.Context())
		read := 0
		err := c.QueryAll(ctx, store.Query{
			SQL: `SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3`, Brief: brief,
			Row: func(func(...any) error) error { read++; cancel(); return nil },
		}, store.Query{SQL: `SELECT 4`, Brief: brief, Row: func(func(...any) error) error { read++; return nil }})
		if read != 1 || recaller.KindOf(err) != recaller.Timeout {
			t.Errorf("brief %v: got %d rows and %v, want one, and a timeout", brief, read, err)
		}
		if _, err := c.Query(ctx, `SELECT 1`); recaller.KindOf(err) != recaller.Timeout {
			t.Errorf("brief %v: got %v afterwards, want a timeout", brief, err)
		}
		var again int
		if err := c.QueryRow(t.Context(), `SELECT 5`, nil, &again); err != nil || again != 5 {
			t.Errorf("brief %v: the next who asks got %d, %v; want 5", brief, again, err)
		}
	}
}

func TestWhatIsKnownIsNotAsked(t *testing.T) {
	t.Parallel()
	c := connected(t)
	asked := 0
	row := func(func(...any) error) error { asked++; return nil }
	err := c.QueryAll(t.Context(),
		store.Query{SQL: `SELECT 1`, Row: row, Needless: func() bool { return asked > 0 }},
		store.Query{SQL: `SELECT 2`, Row: row, Needless: func() bool { return asked > 0 }})
	if err != nil || asked != 1 {
		t.Errorf("got %d rows and %v, want that of the first", asked, err)
	}
}
