//go:build race

package worktest

// large is smaller where the race detector makes all of it ten times slower. What is quadratic shows all the same.
const large = 16 << 10
