package term

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Column is one column of a table.
type Column struct {
	Title string
	Right bool // numbers stand to the right
	Most  int  // columns at most, longer cells are cut; 0: as wide as needed
}

// Table writes rows under a header, aligned. Cells are cleaned; a missing one is empty.
func (o Out) Table(columns []Column, rows [][]string) {
	widths := make([]int, len(columns))
	cells := make([][]string, len(rows))
	for i, c := range columns {
		widths[i] = utf8.RuneCountInString(c.Title)
	}
	for r, row := range rows {
		cells[r] = make([]string, len(columns))
		for i := range columns {
			if i >= len(row) {
				continue
			}
			cell := Clean(row[i])
			if columns[i].Most > 0 {
				cell = Short(cell, columns[i].Most)
			}
			cells[r][i] = cell
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	titles := make([]string, len(columns))
	for i, c := range columns {
		titles[i] = c.Title
	}
	fmt.Fprintln(o, o.Dim(alignRow(columns, widths, titles)))
	for _, row := range cells {
		fmt.Fprintln(o, alignRow(columns, widths, row))
	}
}

func alignRow(columns []Column, widths []int, row []string) string {
	parts := make([]string, len(row))
	for i, cell := range row {
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if columns[i].Right {
			parts[i] = pad + cell
		} else {
			parts[i] = cell + pad
		}
	}
	return strings.TrimRight(strings.Join(parts, "  "), " ")
}
