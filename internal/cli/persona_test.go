package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/cli"
)

// How the agent is, from the command line: made, listed, gone back to, and tried out in a thread.
func TestPersonasFromTheCommandLine(t *testing.T) {
	t.Parallel()
	b := setup(t)
	want(t, "before there is one", b.run("persona", "list").err, "there is no persona yet")
	want(t, "put", b.must("persona", "put", "You are Jarvis.", "--label", "butler"), "version 1 (butler) is active")
	file := filepath.Join(t.TempDir(), "persona.txt")
	if err := os.WriteFile(file, []byte("Du bist\neine Gärtnerin.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	want(t, "put a file", b.must("persona", "put", "--file", file), "version 2 is active")
	want(t, "list", b.must("persona", "list"), "2  active", "Du bist eine Gärtnerin.", "butler", "You are Jarvis.")
	want(t, "show", b.must("persona", "show"), "Du bist\neine Gärtnerin.\n")
	want(t, "activate", b.must("persona", "activate", "1", "--json"), `"active": true`, `"version": 1`)
	want(t, "show another", b.must("persona", "show", "2"), "Gärtnerin")

	b.typing("I prefer larch.\nLarch it is.\n", "chat", "ext:ana")
	preview := b.must("persona", "preview", "2", "--thread", "terminal:ext:ana", "--query", "Which wood?")
	want(t, "preview", preview, "eine Gärtnerin.", "user: I prefer larch.", "User: Which wood?")
	want(t, "preview of a text", b.must("persona", "preview", "--text", "You are a pirate."), "You are a pirate.")
	for hint, args := range map[string]string{
		"expected a whole number but got": "preview two", "there is no version 9": "show 9", "no such version": "activate 9", "give a text": "put", "goes without a text": "preview 1 --text a",
		"nobody is known": "preview --caller ext:nobody", "can't be used together": "preview --caller ext:a --thread b",
	} {
		r := b.run(append([]string{"persona"}, strings.Fields(args)...)...)
		if r.code == cli.ExitOK {
			t.Errorf("%s: it worked", args)
		}
		want(t, args, r.err, hint)
	}
}
