package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
)

func TestAFolderThatEverybodyMayWriteToIsRefused(t *testing.T) {
	t.Parallel()
	for mode, refused := range map[os.FileMode]bool{0o777: true, 0o702: true, 0o700: false, 0o755: false, 0o770: false} {
		dir := filepath.Join(t.TempDir(), "data")
		if err := errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, mode)); err != nil {
			t.Fatal(err)
		}
		err := private(dir)
		if !refused && err != nil {
			t.Errorf("%04o: %v", mode, err)
		}
		if refused && (!errors.Is(err, recaller.Unavailable) || !strings.Contains(err.Error(), "run chmod 700 "+dir)) {
			t.Errorf("%04o: got %v, want it refused with the remedy", mode, err)
		}
	}
}

func TestAKeyInAFileIsLongEnough(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "api.key")
	made, isNew, err := apiKey(path)
	if err != nil || !isNew {
		t.Fatalf("got %v, %v, want a new key", isNew, err)
	}
	if again, isNew, err := apiKey(path); again != made || isNew || err != nil {
		t.Errorf("got another key, %v, %v", isNew, err)
	}
	if err := os.WriteFile(path, []byte("rk_default_short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := apiKey(path); !errors.Is(err, recaller.Unavailable) || !strings.Contains(err.Error(), "delete the file") {
		t.Errorf("got %v, want it refused with the remedy", err)
	}
}
