package vector

import "golang.org/x/sys/cpu"

// step is how many numbers the machine code takes at once; a vector's length must be a multiple.
const step = 32

var fast = cpu.X86.HasAVX2

// products is Products for a width that is a multiple of step, and for at least one row.
//
//go:noescape
func products(out *int32, q, rows *int8, width, n int)

// fineProducts is FineProducts, for at least one row.
//
//go:noescape
func fineProducts(out *int32, q *int16, rows *uint64, width, n int)

// addTimes is AddTimes for a width that is a multiple of step, and not 0.
//
//go:noescape
func addTimes(sum *int64, row *int8, width int, times int32)

// levels writes to out, for each sketch, twice the sum of q's numbers times their levels, plus add. There must be at
// least one sketch.
//
//go:noescape
func levels(out *int32, q *int8, rows *byte, n int, add int32)
