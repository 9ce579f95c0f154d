package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"reflect"
	"strconv"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// rows implements store.Rows.
type rows struct {
	ctx  context.Context // of the query
	r    driver.Rows
	row  []driver.Value // the one at hand
	over bool           // r is closed
	err  error
}

// Next implements store.Rows. Behind the last row it closes them.
func (r *rows) Next() bool {
	if r.over {
		return false
	}
	err := r.ctx.Err()
	if err == nil {
		err = r.r.Next(r.row)
	}
	if err == nil {
		return true
	}
	if !errors.Is(err, io.EOF) {
		r.err = mapped(err)
	}
	if err := r.Close(); r.err == nil {
		r.err = err
	}
	return false
}

// Err implements store.Rows.
func (r *rows) Err() error { return r.err }

// Close implements store.Rows.
func (r *rows) Close() error {
	if r.over {
		return nil
	}
	r.over = true
	return mapped(r.r.Close())
}

// Scan implements store.Rows. What the driver gives is its own copy, so nothing is copied again.
func (r *rows) Scan(dest ...any) error {
	if len(dest) != len(r.row) {
		return recaller.Errorf(recaller.Internal, "a row has %d columns, and %d are read", len(r.row), len(dest))
	}
	for i, d := range dest {
		if !put(d, r.row[i]) {
			return recaller.Errorf(recaller.Internal, "column %d holds %T, which does not fit %T", i+1, r.row[i], d)
		}
	}
	return nil
}

// put puts a column into what dest points to, and reports whether it fits.
func put(dest any, v driver.Value) bool {
	switch d := dest.(type) {
	case *int64:
		if n, is := v.(int64); is {
			*d = n
			return true
		}
	case *string:
		if s, is := v.(string); is {
			*d = s
			return true
		}
	case *[]byte:
		return putBytes(d, v)
	case *any: // as the driver has it
		*d = v
		return true
	case *store.Borrowed:
		return putBytes((*[]byte)(d), v)
	case *sql.RawBytes:
		return putBytes((*[]byte)(d), v)
	}
	return putKind(reflect.ValueOf(dest).Elem(), v)
}

func putBytes(d *[]byte, v driver.Value) bool {
	switch is := v.(type) {
	case nil:
		*d = nil
	case []byte:
		*d = is
	case string:
		*d = []byte(is)
	default:
		return false
	}
	return true
}

// putKind is put for types of other names, and for columns that may be NULL.
func putKind(d reflect.Value, v driver.Value) bool {
	switch d.Kind() {
	case reflect.Pointer:
		if v == nil {
			d.SetZero()
			return true
		}
		d.Set(reflect.New(d.Type().Elem()))
		return put(d.Interface(), v)
	case reflect.Slice:
		if d.Type().Elem().Kind() != reflect.Uint8 {
			return false
		}
		var b []byte
		is := putBytes(&b, v)
		d.SetBytes(b)
		return is
	case reflect.String:
		s, is := text(v)
		d.SetString(s)
		return is
	case reflect.Bool:
		n, is := v.(int64)
		d.SetBool(n != 0)
		return is
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, is := whole(v)
		if !is || d.OverflowInt(n) {
			return false
		}
		d.SetInt(n)
		return true
	case reflect.Float32, reflect.Float64:
		switch n := v.(type) {
		case float64:
			d.SetFloat(n)
		case int64:
			d.SetFloat(float64(n))
		default:
			return false
		}
		return true
	}
	return false
}

// text is a column as text, as SQLite's own CAST gives it.
func text(v driver.Value) (string, bool) {
	switch is := v.(type) {
	case string:
		return is, true
	case []byte:
		return string(is), true
	case int64:
		return strconv.FormatInt(is, 10), true
	}
	return "", false
}

// whole is a column as a whole number. A sum may come as one with a fraction, and a number in a text as a text.
func whole(v driver.Value) (int64, bool) {
	switch is := v.(type) {
	case int64:
		return is, true
	case float64:
		n := int64(is)
		return n, float64(n) == is
	case string:
		n, err := strconv.ParseInt(is, 10, 64)
		return n, err == nil
	}
	return 0, false
}
