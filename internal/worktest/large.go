//go:build !race

package worktest

// large is the size of a large text, in bytes.
const large = 64 << 10
