package sqlite_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/store/storetest"
)

// classes are those of the columns that are SQLite's own.
const classes = `
id:      conversation_words.id
id:      conversation_tokens_packed.id document_tokens_packed.id
token:   conversation_tokens_packed.tokens document_tokens_packed.tokens
count:   conversation_embeddings.seq
token:   conversation_tokens.tokens
token:   conversation_tokens_data.id conversation_tokens_data.block conversation_tokens_idx.segid conversation_tokens_idx.term conversation_tokens_idx.pgno
count:   conversation_tokens_docsize.id conversation_tokens_docsize.sz conversation_tokens_docsize.origin conversation_tokens_config.k conversation_tokens_config.v
id:      document_words.id
count:   document_embeddings.seq
token:   document_tokens.tokens
token:   document_tokens_data.id document_tokens_data.block document_tokens_idx.segid document_tokens_idx.term document_tokens_idx.pgno
count:   document_tokens_docsize.id document_tokens_docsize.sz document_tokens_docsize.origin document_tokens_config.k document_tokens_config.v
sqlite:  sqlite_sequence.name sqlite_sequence.seq
`

func TestEveryColumnIsClassified(t *testing.T) {
	t.Parallel()
	var all []string
	for _, c := range columns(t, open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Options{})) {
		all = append(all, c.table+"."+c.column)
	}
	storetest.Classify(t, all, classes)
}

func TestNothingReadableIsOnDisk(t *testing.T) {
	t.Parallel()
	d := newData(t)
	o := d.PutSecrets()
	d.grep(t, o, "recaller.db", "recaller.db-wal", "keys.db")
	d.OK(d.Close())
	d.grep(t, o, "recaller.db", "keys.db")
}

// grep looks for the secrets in every file of the data folder, which must have the files named.
func (d *data) grep(t *testing.T, o recaller.Opened, files ...string) {
	t.Helper()
	seen := map[string]bool{}
	readable := false
	err := filepath.WalkDir(d.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen[e.Name()] = len(raw) > 0
		readable = readable || bytes.Contains(raw, []byte(o.Conversation.ID))
		storetest.NoSecrets(t, e.Name(), string(raw))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !seen[f] {
			t.Errorf("%s was not searched: it is not there, or empty", f)
		}
	}
	if !readable {
		t.Error("not even an id was found: this test looks at the wrong files")
	}
}
