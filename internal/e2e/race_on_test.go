//go:build race

package e2e

// raceDetector builds the server as the tests are built.
const raceDetector = true
