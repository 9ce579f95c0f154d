package extract

// nearby is how many turns are held as they were read. What belongs together stands closer; what is further away is read
// again when it is asked for.
const nearby = 64

// recent holds what was read of the turns that were read last. Its zero value holds nothing.
type recent[T any] struct {
	read  map[int]T
	order [nearby]int // the turns, a ring
	n     int         // how many were read
}

// of returns what a turn holds, which read reads.
func (c *recent[T]) of(turn int, read func() T) T {
	if got, ok := c.read[turn]; ok {
		return got
	}
	got := read()
	if c.read == nil {
		c.read = map[int]T{}
	}
	if c.n >= nearby {
		delete(c.read, c.order[c.n%nearby])
	}
	c.read[turn], c.order[c.n%nearby] = got, turn
	c.n++
	return got
}
