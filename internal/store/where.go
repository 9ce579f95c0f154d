package store

import (
	"strconv"
	"strings"
)

// where builds the optional conditions of a query, each with a parameter of its own.
type where struct {
	b    strings.Builder
	args []any
}

func (w *where) and(condition string) { w.b.WriteString(" AND " + condition) }

func (w *where) eq(column string, v any) { w.and(column + " = " + w.param(v)) }

func (w *where) in(column string, values []any) { w.and(column + " IN (" + w.params(values) + ")") }

// params returns a parameter for each value.
func (w *where) params(values []any) string {
	params := make([]string, len(values))
	for i, v := range values {
		params[i] = w.param(v)
	}
	return strings.Join(params, ", ")
}

func (w *where) param(v any) string {
	w.args = append(w.args, v)
	return "$" + itoa(len(w.args))
}

func (w *where) String() string { return w.b.String() }

func anys[T any](list []T) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = v
	}
	return out
}

func itoa(n int) string { return strconv.Itoa(n) }
