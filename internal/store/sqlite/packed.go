package sqlite

import (
	"hash/fnv"
	"slices"
	"sort"
)

// packed are the tokens of a thing with how often each is said, as its row has them: one number of five bytes each, in
// order. Its lowest three bits are how often, less one; the others are of the token's hash.
type packed []byte

const packedToken = 5

// pack packs tokens. What is said more than maxSaid times counts as that.
func pack(counts map[string]int) packed {
	list := make([]uint64, 0, len(counts))
	for token, n := range counts {
		list = append(list, hashed(token)<<3|uint64(min(n, maxSaid)-1))
	}
	slices.Sort(list)
	out := make(packed, 0, packedToken*len(list))
	for _, x := range list {
		for shift := 8 * (packedToken - 1); shift >= 0; shift -= 8 {
			out = append(out, byte(x>>shift))
		}
	}
	return out
}

// hashed is what is kept of a token: 37 bits, of which hardly ever two stems of a tenant have the same.
func hashed(token string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(token)) // never fails
	return h.Sum64() >> (64 - 37)
}

func (p packed) len() int { return len(p) / packedToken }

func (p packed) at(i int) (x uint64) {
	for _, b := range p[packedToken*i : packedToken*(i+1)] {
		x = x<<8 | uint64(b)
	}
	return x
}

// times is how often a token is said, by its hash.
func (p packed) times(hash uint64) int {
	i := sort.Search(p.len(), func(i int) bool { return p.at(i)>>3 >= hash })
	if i == p.len() || p.at(i)>>3 != hash {
		return 0
	}
	return int(p.at(i)&7) + 1
}

// length is how many are said in all.
func (p packed) length() (n int) {
	for i := packedToken - 1; i < len(p); i += packedToken {
		n += int(p[i]&7) + 1
	}
	return n
}
