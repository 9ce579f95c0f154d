package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller/client"
)

func TestJSONIsIndentedAsItComesLikeAWholeOne(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{}`, `[]`, `null`, `"a"`, `-1.50`, `{"a":{}}`, `{"a":[],"b":[[]],"c":[{}]}`,
		`{"n":12345678901234567890,"f":1e3,"t":true,"x":null,"s":"\u003cb> \u0026 \u00e4\u2028 \"q\""}`,
		`{"caller":{"id":"c","tags":["x","y"]},"memories":[1,[2,3],{"a":4}],"memory":{"list":[1]},"conversations":[{"turns":[{},{}]},{"turns":[]}]}`,
	} {
		var whole any
		dec := json.NewDecoder(strings.NewReader(text))
		dec.UseNumber()
		if err := dec.Decode(&whole); err != nil {
			t.Fatal(err)
		}
		want, err := indented(inOrder(text))
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		lists, err := indent(&got, strings.NewReader(text))
		if diff := cmp.Diff(string(want), got.String()); diff != "" || err != nil {
			t.Errorf("%s: %v (-whole +as it comes)\n%s", text, err, diff)
		}
		top, _ := whole.(map[string]any)
		for key, v := range top {
			if list, ok := v.([]any); ok && lists[key] != len(list) {
				t.Errorf("%s: counted %d %s, want %d", text, lists[key], key, len(list))
			}
		}
		for n := range len(text) - 1 {
			if _, err := indent(io.Discard, strings.NewReader(text[:n])); err == nil && strings.ContainsAny(text[:1], "{[") {
				t.Errorf("%q: took a part for the whole", text[:n])
			}
		}
	}
}

// inOrder is JSON with its members in their order, and its words as they are.
func inOrder(text string) json.RawMessage {
	return json.RawMessage(strings.NewReplacer(`\u00e4`, "ä", `\u003c`, "<", `\u0026`, "&").Replace(text))
}

// endless are conversations as an export sends them. It fails if more of them was taken than what can be held.
type endless struct {
	t     *testing.T
	out   *counted
	given int
	rest  []byte
	left  int // conversations
}

type counted struct{ n int }

func (c *counted) Write(p []byte) (int, error) { c.n += len(p); return len(p), nil }

func (e *endless) Read(p []byte) (int, error) {
	if len(e.rest) == 0 && e.left == 0 {
		return 0, io.EOF
	}
	if len(e.rest) == 0 {
		e.left--
		e.rest = []byte(`{"turns":["` + strings.Repeat("word ", 200) + `"]},`)
		if e.left == 0 {
			e.rest = append(e.rest[:len(e.rest)-1], "]}"...)
		}
	}
	const most = 256 << 10
	if held := e.given - e.out.n; held > most {
		e.t.Fatalf("%d bytes were read, and %d written: %d are held, want at most %d", e.given, e.out.n, held, most)
	}
	n := copy(p, e.rest)
	e.rest, e.given = e.rest[n:], e.given+n
	return n, nil
}

// However large an export is, what is held of it is not.
func TestAnExportIsPrintedWhileItIsRead(t *testing.T) {
	t.Parallel()
	out := &counted{}
	const conversations = 4000
	from := &endless{t: t, out: out, rest: []byte(`{"conversations":[`), left: conversations}
	lists, err := indent(out, from)
	if err != nil || lists["conversations"] != conversations || out.n < from.given {
		t.Errorf("got %d conversations in %d bytes of %d (%v), want all %d", lists["conversations"], out.n, from.given, err, conversations)
	}
}

type broken struct{ after int }

func (b *broken) Write(p []byte) (int, error) {
	if b.after -= len(p); b.after < 0 {
		return 0, errors.New("the disk is full")
	}
	return len(p), nil
}

func TestAnExportThatCannotBeWrittenSaysSo(t *testing.T) {
	t.Parallel()
	from := io.MultiReader(strings.NewReader(`{"conversations":["`), strings.NewReader(strings.Repeat("word ", 100_000)), strings.NewReader(`"]}`))
	if _, err := indent(&broken{after: 1 << 10}, from); err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("got %v, want that the disk is full", err)
	}
}

// Where the server breaks off in this process, it is as if a connection were lost: nobody takes half an answer for whole.
func TestAnAnswerOfThisProcessThatBreaksOffEndsInAnError(t *testing.T) {
	t.Parallel()
	transport, closed := serveInProcess(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half")
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(func() { _ = closed() }) // never fails
	api, err := client.New(inProcessURL, "", client.WithHTTPClient(&http.Client{Transport: transport}))
	if err != nil {
		t.Fatal(err)
	}
	var got []byte
	err = api.ReadExport(t.Context(), "c", func(body io.Reader) (err error) {
		got, err = io.ReadAll(body)
		return err
	})
	if string(got) != "half" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %q, %v; want half, and that it broke off", got, err)
	}
	file := filepath.Join(t.TempDir(), "export.json")
	err = writeNew(file, func(w io.Writer) error {
		return api.ReadExport(t.Context(), "c", func(body io.Reader) error { _, err := indent(w, body); return err })
	})
	if _, there := os.Stat(file); err == nil || !errors.Is(there, fs.ErrNotExist) {
		t.Errorf("got %v, and a file (%v): want none", err, there)
	}
}
