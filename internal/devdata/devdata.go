// Package devdata finds the development data, real conversations that are not part of the repository, for the tests
// that measure on them. It is for tests only.
package devdata

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns where a file of the development data is: in RECALLER_DEV_DATA, or in a folder shared/data beside the
// project. Where the variable is set, as CI sets it, a missing file fails the test; else the test is skipped.
func Path(t testing.TB, name string) string {
	t.Helper()
	if path, ok := Find(name); ok {
		return path
	}
	if os.Getenv(variable) != "" {
		t.Fatalf("%s is not in the folder that %s names", name, variable)
	}
	t.Skipf("%s of the development data is not here; %s names its folder", name, variable)
	return ""
}

const variable = "RECALLER_DEV_DATA"

// Find is Path for who has something else to go on with.
func Find(name string) (path string, ok bool) {
	if dir := os.Getenv(variable); dir != "" {
		path = filepath.Join(dir, name)
		return path, isFile(path)
	}
	dir, err := os.Getwd()
	for err == nil {
		if path = filepath.Join(dir, "shared", "data", name); isFile(path) {
			return path, true
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	return "", false
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
