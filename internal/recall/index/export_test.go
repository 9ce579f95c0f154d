package index

// Postings returns how many postings the index holds, for the tests of what one costs.
func (ix *Index) Postings() int {
	n := 0
	for _, list := range ix.postings {
		n += len(list)
	}
	return n
}
