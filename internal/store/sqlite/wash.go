package sqlite

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// A page of a b-tree: a header, the places of its cells, a gap, and the cells, between which there may be blocks that
// are free. SQLite moves cells to another page and leaves the gap as it is, and what was deleted before secure_delete
// was set is still in the free blocks. Nothing reads either (https://sqlite.org/fileformat2.html#b_tree_pages).
const (
	interiorIndex = 0x02
	interiorTable = 0x05
	leafIndex     = 0x0a
	leafTable     = 0x0d

	fileHeader = 100 // before the header of page 1
	// maxWashed bounds the pages that can be told from others. Other pages begin with the number of a page; those of so
	// small a number begin with zero.
	maxWashed = 1 << 24
)

// dirtyIn returns the parts of a page that hold something though nothing is stored there. number is the page's, from
// 1. A page that is not of a b-tree, or whose header makes no sense, has none.
func dirtyIn(page []byte, number int64) (parts [][]byte) {
	head := 0
	if number == 1 {
		head = fileHeader
	}
	h := page[head:]
	size := 8
	switch h[0] {
	case interiorIndex, interiorTable:
		size = 12
	case leafIndex, leafTable:
	default:
		return nil
	}
	at := func(i int) int { return int(binary.BigEndian.Uint16(page[i:])) }
	gap, cells := head+size+2*at(head+3), at(head+5)
	if gap > cells || cells > len(page) {
		return nil
	}
	parts = unlessClean(parts, page[gap:cells])
	for block, last := at(head+1), cells-1; block != 0; block, last = at(block), block {
		if block <= last || block+4 > len(page) || at(block+2) < 4 || block+at(block+2) > len(page) {
			return nil
		}
		parts = unlessClean(parts, page[block+4:block+at(block+2)])
	}
	return parts
}

var zeros [1 << 16]byte

func unlessClean(parts [][]byte, part []byte) [][]byte {
	if bytes.Equal(part, zeros[:len(part)]) {
		return parts
	}
	return append(parts, part)
}

// wash cleans the pages of the file, a few in each write.
func (e *Engine) wash(ctx context.Context) error {
	for first, last := int64(1), int64(1); first <= last; first += washRead {
		var dirty []int64
		err := e.ReadSystem(ctx, func(tx store.Tx) (err error) {
			if err := tx.QueryRow(ctx, `SELECT page_count FROM pragma_page_count`, nil, &last); err != nil {
				return err
			}
			dirty, err = dirtyPages(ctx, tx, first, min(last, first+washRead-1))
			return err
		})
		if last > maxWashed {
			return recaller.Errorf(recaller.Full, "the database is too large to be cleaned of what was erased: write it anew with VACUUM")
		}
		for err == nil && len(dirty) > 0 {
			part := dirty[:min(washWrite, len(dirty))]
			dirty = dirty[len(part):]
			err = e.writer.bulk(ctx, func(tx store.Tx) error { return washed(ctx, tx, part) })
		}
		if err != nil {
			return err
		}
	}
	return e.washFree(ctx)
}

// dirtyPages looks for pages to be cleaned.
func dirtyPages(ctx context.Context, tx store.Tx, first, last int64) (dirty []int64, err error) {
	var number int64
	var page store.Borrowed
	err = tx.QueryAll(ctx, store.Query{
		SQL: `WITH RECURSIVE n (i) AS (SELECT $1 UNION ALL SELECT i + 1 FROM n WHERE i < $2)
			SELECT p.pgno, p.data FROM n CROSS JOIN sqlite_dbpage p WHERE p.pgno = n.i`,
		Args: []any{first, last},
		Row: func(scan func(...any) error) error {
			err := scan(&number, &page)
			if err == nil && len(dirtyIn(page, number)) > 0 {
				dirty = append(dirty, number)
			}
			return err
		},
	})
	return dirty, err
}

// washed cleans pages, as they are by now.
func washed(ctx context.Context, tx store.Tx, numbers []int64) error {
	for _, n := range numbers {
		var page []byte
		if err := tx.QueryRow(ctx, `SELECT data FROM sqlite_dbpage WHERE pgno = $1`, []any{n}, &page); err != nil {
			return err
		}
		parts := dirtyIn(page, n)
		for _, part := range parts {
			clear(part)
		}
		if len(parts) == 0 {
			continue
		}
		if _, err := tx.Exec(ctx, `UPDATE sqlite_dbpage SET data = $2 WHERE pgno = $1`, n, page); err != nil {
			return err
		}
	}
	return nil
}

// washFree cleans the pages that are free. Only those that were freed before secure_delete was set are not clean, so
// there is something to write but once.
func (e *Engine) washFree(ctx context.Context) error {
	var dirty bool
	err := e.ReadSystem(ctx, func(tx store.Tx) error {
		return freePages(ctx, tx, func(int64, []byte) error { dirty = true; return nil })
	})
	if err != nil || !dirty {
		return err
	}
	return e.writer.do(ctx, func(tx store.Tx) error {
		return freePages(ctx, tx, func(n int64, page []byte) error {
			_, err := tx.Exec(ctx, `UPDATE sqlite_dbpage SET data = $2 WHERE pgno = $1`, n, page)
			return err
		})
	})
}

// freePages calls fn with the free pages that are not clean, cleaned. Trunks list the others: the number of the next
// trunk, how many pages it lists, and their numbers.
func freePages(ctx context.Context, tx store.Tx, fn func(number int64, cleaned []byte) error) error {
	read := func(n int64) (page []byte, err error) {
		return page, tx.QueryRow(ctx, `SELECT data FROM sqlite_dbpage WHERE pgno = $1`, []any{n}, &page)
	}
	var pages int64
	if err := tx.QueryRow(ctx, `SELECT page_count FROM pragma_page_count`, nil, &pages); err != nil {
		return err
	}
	header, err := read(1)
	if err != nil {
		return err
	}
	left := pages // damaged trunks might go round in a circle
	for trunk := int64(binary.BigEndian.Uint32(header[32:])); trunk != 0 && left > 0; left-- {
		page, err := read(trunk)
		if err != nil {
			return err
		}
		listed := int(binary.BigEndian.Uint32(page[4:]))
		if listed > len(page)/4-2 {
			return nil
		}
		for i := range listed {
			n := int64(binary.BigEndian.Uint32(page[8+4*i:]))
			leaf, err := read(n)
			if err != nil {
				return err
			}
			if len(unlessClean(nil, leaf)) == 0 {
				continue
			}
			clear(leaf)
			if err := fn(n, leaf); err != nil {
				return err
			}
		}
		next := int64(binary.BigEndian.Uint32(page))
		if rest := page[8+4*listed:]; len(unlessClean(nil, rest)) > 0 {
			clear(rest)
			if err := fn(trunk, page); err != nil {
				return err
			}
		}
		trunk = next
	}
	return nil
}
