// Package e2e holds the stories that show what Recaller promises, told to the built binary over real HTTP through the
// public client: callers who come back, calls that drop, kill -9 in the middle of writers, full disks, lost keys,
// hostile requests, and what may be found on a disk afterwards. Every answer the stories get is held against the
// OpenAPI description that the server serves.
//
// It has tests only. Stories that need a clock or a store that fails are in package app, which can be given both; the soak
// (TestSoak, `make soak`) has a clock too: half of its processes are the whole command line in this test program.
package e2e
