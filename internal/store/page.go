package store

import (
	"encoding/base64"
	"encoding/json"
	"math"

	"github.com/recallerhq/recaller"
)

// Bounds of a page.
const (
	defaultPage = 50
	maxPage     = 200
)

// cursor is the place in a list, newest first, that a page ended at.
type cursor struct {
	At      int64  `json:"t"`
	ID      string `json:"i"`
	Version int    `json:"v,omitempty"` // of a memory
}

// after reads a page's cursor and limit. The first page starts beyond everything.
func after(p recaller.Page) (c cursor, limit int, err error) {
	limit = p.Limit
	if limit == 0 {
		limit = defaultPage
	}
	if limit < 1 || limit > maxPage {
		return c, 0, recaller.InvalidField("limit", "must be between 1 and %d", maxPage)
	}
	if p.Cursor == "" {
		return cursor{At: math.MaxInt64}, limit, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(p.Cursor)
	if err != nil || json.Unmarshal(raw, &c) != nil {
		return c, 0, recaller.InvalidField("cursor", "must be as the page before gave it")
	}
	return c, limit, nil
}

// next gives the cursor of the page that follows a list read with limit+1, cutting the list to limit.
func next[T any](list []T, limit int, at func(T) cursor) ([]T, string) {
	if len(list) <= limit {
		return list, ""
	}
	list = list[:limit]
	return list, at(list[limit-1]).String()
}

// String gives a cursor as it goes out.
func (c cursor) String() string {
	raw, err := json.Marshal(c)
	if err != nil { // a struct of numbers and a string always marshals
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}
