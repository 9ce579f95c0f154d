package eval

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"os"
	"path/filepath"
	"sync/atomic"
)

// Format is how a file of questions is written.
type Format string

// The formats.
const (
	LongMemEval Format = "longmemeval"
	LoCoMo      Format = "locomo"
	Native      Format = "native" // our own, described in docs/recall.md
)

// Reading says what to take of a file.
type Reading struct {
	AllCategories bool // of LoCoMo also the adversarial questions, which have no answer
}

// Notes counts what was left out of a file, and what could not be read in it.
type Notes struct {
	Abstention      int `json:"abstention"`       // questions that have no answer in the conversations (LongMemEval), left out
	Adversarial     int `json:"adversarial"`      // the same of LoCoMo, unless they were asked for
	WithoutEvidence int `json:"without_evidence"` // questions that do not say where their answer is, left out
	Unaskable       int `json:"unaskable"`        // questions that are blank or longer than recall takes, left out
	Unreadable      int `json:"unreadable"`       // pieces of evidence that are no turn's id
	Unknown         int `json:"unknown"`          // pieces of evidence that name a turn or conversation that is not there
}

// Read reads the cases of a file one by one, and counts in notes what it leaves out. An error ends the sequence. It
// says what was expected where, and holds nothing that people said. A leading byte order mark is skipped.
func Read(r io.Reader, format Format, how Reading, notes *Notes) iter.Seq2[Case, error] {
	text := bufio.NewReader(r)
	const mark = "\uFEFF"
	if head, _ := text.Peek(len(mark)); string(head) == mark { // what could not be read is met again
		_, _ = text.Discard(len(mark)) // it is there
	}
	switch format {
	case LongMemEval:
		return elements(text, "a list of questions",
			func(n int, dec *json.Decoder) (Case, error) { return readLongMemEval(n, dec, notes) })
	case LoCoMo:
		return elements(text, "a list of samples",
			func(n int, dec *json.Decoder) (Case, error) { return readLoCoMo(n, dec, how, notes) })
	default:
		return readNative(text, notes)
	}
}

// elements reads a JSON list, one element after another, so that a file may be larger than memory. It passes over cases
// without questions.
func elements(r io.Reader, what string, read func(n int, dec *json.Decoder) (Case, error)) iter.Seq2[Case, error] {
	return func(yield func(Case, error) bool) {
		dec := json.NewDecoder(r)
		if err := delimiter(dec, '['); err != nil {
			yield(Case{}, fmt.Errorf("expected %s: %w", what, err))
			return
		}
		list(dec, read, yield)
	}
}

// list reads the elements of a list that was opened, and its end. It reports whether to go on.
func list(dec *json.Decoder, read func(n int, dec *json.Decoder) (Case, error), yield func(Case, error) bool) bool {
	for n := 1; dec.More(); n++ {
		c, err := read(n, dec)
		if err != nil {
			yield(Case{}, err)
			return false
		}
		if len(c.Questions) > 0 && !yield(c, nil) {
			return false
		}
	}
	if err := delimiter(dec, ']'); err != nil {
		yield(Case{}, fmt.Errorf("the list does not end: %w", err))
		return false
	}
	return true
}

func delimiter(dec *json.Decoder, want json.Delim) error {
	tok, err := dec.Token()
	switch {
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	case err != nil:
		return err
	case tok != want:
		return fmt.Errorf("there is no %v", want)
	}
	return nil
}

// Load reads all cases of a file, plain or gzipped.
func Load(path string, format Format) ([]Case, error) {
	f, err := Open(path, format, Reading{})
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	var all []Case
	for c, err := range f.Cases() {
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// File is a file of cases that is read once.
type File struct {
	format Format
	how    Reading
	raw    *os.File
	counts *counted
	text   io.Reader
	size   int64
	notes  Notes
}

// Open opens a file of cases, plain or gzipped.
func Open(path string, format Format, how Reading) (*File, error) {
	raw, err := os.Open(filepath.Clean(path))
	var failed *os.PathError
	if errors.As(err, &failed) {
		err = failed.Err // the path is told already
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	info, err := raw.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s is a folder, expected a file of questions", path)
	}
	if err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	f := &File{format: format, how: how, raw: raw, size: info.Size(), counts: &counted{from: raw, sum: sha256.New()}}
	text := bufio.NewReaderSize(f.counts, 1<<16)
	f.text = text
	// a shorter file is no gzip, and its end is met again
	if magic, _ := text.Peek(2); string(magic) == "\x1f\x8b" {
		f.text, err = gzip.NewReader(text)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("unpack %s: %w", path, err), raw.Close())
		}
	}
	return f, nil
}

// Cases reads the cases; once.
func (f *File) Cases() iter.Seq2[Case, error] {
	return func(yield func(Case, error) bool) {
		for c, err := range Read(f.text, f.format, f.how, &f.notes) {
			if err != nil {
				err = fmt.Errorf("%s: %w", filepath.Base(f.raw.Name()), err)
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// Reading is what is taken of the file.
func (f *File) Reading() Reading { return f.how }

// Share is how much of the file has been read, 0 to 1. It may be asked while the cases are read.
func (f *File) Share() float64 {
	if f.size == 0 {
		return 1
	}
	return min(1, float64(f.counts.n.Load())/float64(f.size))
}

// Data says which data was measured on.
type Data struct {
	Format Format `json:"format"`
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // of the file as it lies there
	Notes  Notes  `json:"left_out"`
}

// Data reads what is left of the file, and says which it is. What was left out is counted as far as the cases were
// read.
func (f *File) Data() (Data, error) {
	if _, err := io.Copy(io.Discard, f.counts); err != nil {
		return Data{}, fmt.Errorf("read %s: %w", filepath.Base(f.raw.Name()), err)
	}
	return Data{
		Format: f.format, File: filepath.Base(f.raw.Name()), Bytes: f.counts.n.Load(),
		SHA256: hex.EncodeToString(f.counts.sum.Sum(nil)), Notes: f.notes,
	}, nil
}

// Close closes the file.
func (f *File) Close() error { return f.raw.Close() }

// counted sums up what is read through it.
type counted struct {
	from io.Reader
	sum  hash.Hash
	n    atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.n.Add(int64(n))
	c.sum.Write(p[:n]) // never fails
	return n, err
}
