// Package vector does the arithmetic of texts' vectors in whole numbers: how like a query is to every text of a caller,
// and the sums of which such vectors are made. On machines with AVX2 a product of 256 numbers takes some 9 ns, and in
// the plain loop some 140. The results are the same on every machine.
//
// It is pure. It does no fractions, and does not choose which vectors to compare: for the ten thousand or so of one
// caller, comparing all is faster than any index.
package vector

// Fast reports whether products are made by machine code here. Without it, work that needs millions of them is not
// worth its time.
func Fast() bool { return fast }

// Products writes the product of q with each row of rows to out. rows holds len(out) vectors of len(q) numbers, one
// after the other. No number may be -128. It panics if the lengths do not fit.
func Products(out []int32, q, rows []int8) {
	if len(rows) != len(out)*len(q) {
		panic("vector: there are not as many rows as places for their products")
	}
	if len(out) == 0 || len(q) == 0 {
		clear(out)
		return
	}
	if fast && len(q)%step == 0 {
		products(&out[0], &q[0], &rows[0], len(q), len(out))
		return
	}
	plainProducts(out, q, rows)
}

// Wide is how many numbers of a row FineProducts takes at once: a row has a multiple of them.
const Wide = 16

// FineProducts is Products for a finer query, and rows of whole numbers from 0 to 255, eight to a word, the lowest byte
// first. The query's numbers lie between -2047 and 2047, and at most 4000 of them are not zero. A row has a multiple of
// Wide numbers. It panics if the lengths do not fit.
func FineProducts(out []int32, q []int16, rows []uint64) {
	if len(q)%Wide != 0 || 8*len(rows) != len(out)*len(q) {
		panic("vector: there are not as many rows as places for their products")
	}
	if len(out) == 0 || len(q) == 0 {
		clear(out)
		return
	}
	if fast {
		fineProducts(&out[0], &q[0], &rows[0], len(q), len(out))
		return
	}
	plainFineProducts(out, q, rows)
}

// AddTimes adds row, times over, to sum. It panics if the lengths differ.
func AddTimes(sum []int64, row []int8, times int32) {
	if len(sum) != len(row) {
		panic("vector: the sum and the row differ in length")
	}
	if fast && len(row)%step == 0 && len(row) > 0 {
		addTimes(&sum[0], &row[0], len(row), times)
		return
	}
	plainAddTimes(sum, row, times)
}

func plainProducts(out []int32, q, rows []int8) {
	for i := range out {
		row := rows[i*len(q):][:len(q)]
		var sum int32
		for j, v := range q {
			sum += int32(v) * int32(row[j])
		}
		out[i] = sum
	}
}

func plainFineProducts(out []int32, q []int16, rows []uint64) {
	n := len(q) / 8
	for i := range out {
		var sum int32
		for j, w := range rows[i*n:][:n] {
			for k, v := range q[8*j:][:8] {
				sum += int32(v) * int32(w>>(8*k)&0xff)
			}
		}
		out[i] = sum
	}
}

func plainAddTimes(sum []int64, row []int8, times int32) {
	for i, v := range row {
		sum[i] += int64(v) * int64(times)
	}
}
