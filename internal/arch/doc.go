// Package arch holds the house together: its tests read the source of every package and fail where an import points
// the wrong way, a rule looks at the clock, a package does not say what it is for, or a file or function grows past
// its limit. It has no code of its own, and nothing imports it.
//
// The layers are in layers_test.go, the exceptions to the size limits, each with its reason, in ratchet_test.go.
package arch
