// Package transcript reads conversations from files, so that recorded ones can be replayed as calls or imported: our
// own JSON lines, plain "SPEAKER: text" transcripts, and the JSON of three public sets (LongMemEval, HarperValley,
// PriMock57). docs/transcripts.md describes every format with examples.
//
// It only reads. The use cases decide what becomes of the conversations, and whether a number is one. It takes from a
// file only what was said, by whom and when. It leaves out the questions, answers, notes and labels that the public
// sets carry for measuring, so that they cannot reach a memory.
//
// Errors are recaller.Invalid. They name the line, and the field if there is one, and hold nothing of what was said.
package transcript

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/recallerhq/recaller"
)

// Format is a file format that Parse reads.
type Format string

// The formats.
const (
	Native       Format = "native"       // JSON lines in the shape of POST /v1/conversations/import
	Text         Format = "text"         // "SPEAKER: text" lines
	LongMemEval  Format = "longmemeval"  // a JSON array of questions, each with the sessions of one user
	HarperValley Format = "harpervalley" // JSON of phone calls with human and recogniser transcripts
	PriMock57    Format = "primock57"    // JSON of spoken medical consultations
)

// Formats lists the formats.
func Formats() []Format { return []Format{Native, Text, LongMemEval, HarperValley, PriMock57} }

// Caller is who the conversation was with. At least one of Phone and ExternalID is set; neither is normalised.
type Caller struct {
	Phone      string
	ExternalID string
	Name       string
}

// known reports whether c can be recognised.
func (c Caller) known() bool { return c.Phone != "" || c.ExternalID != "" }

// Conversation is one past conversation as a file tells it.
type Conversation struct {
	Caller       Caller
	ExternalID   string // may be empty; unique within what one Parse returns
	Channel      recaller.Channel
	Direction    recaller.Direction
	Status       recaller.Status // Completed or Failed
	StartedAt    time.Time
	EndedAt      time.Time     // zero if the file does not tell
	Duration     time.Duration // as the platform counted; 0 if the file does not tell
	RecordingURL string
	NoWrapup     bool            // it must not be written up
	Turns        []recaller.Turn // at least one; numbered from 0, without ids; zero At: the file does not tell
}

// Options say how to read what a file leaves open. The zero value reads any file that leaves nothing open.
type Options struct {
	Format    Format    // empty: found out by Detect from the file's beginning
	Name      string    // the file's name, for Detect; may be empty
	Caller    Caller    // who calls, if the file does not say (Native, Text)
	StartedAt time.Time // when it began, if the file does not say (Native, Text, PriMock57)
	// Text: the side of the first of two speakers whose labels do not tell ("ANNA:", "BEN:")
	FirstSpeaker recaller.Speaker
	Question     string // LongMemEval: only the question with this id, or at this place from 0; empty: all
	Recogniser   bool   // HarperValley: what the speech recogniser heard, not what a human wrote down
	GiveNames    bool   // HarperValley: take the caller's name from the file; otherwise it must be heard
}

// HeadSize is how many bytes of a file's beginning Detect needs at most.
const HeadSize = 64 << 10

// Parse reads the conversations of r one by one, so that a file need not fit in memory. Of the JSON formats it holds
// one item at a time: a conversation, or a question with its sessions. It unpacks input that is compressed with gzip.
//
// The sequence ends with the file, or with the first error, which comes with an empty Conversation.
func Parse(r io.Reader, opts Options) iter.Seq2[Conversation, error] {
	return func(yield func(Conversation, error) bool) {
		plain, format, err := open(r, opts)
		if err != nil {
			yield(Conversation{}, err)
			return
		}
		for conv, err := range parser(format)(plain, opts) {
			if err != nil {
				yield(Conversation{}, err)
				return
			}
			if !yield(conv, nil) {
				return
			}
		}
	}
}

func parser(format Format) func(io.Reader, Options) iter.Seq2[Conversation, error] {
	switch format {
	case Text:
		return parseText
	case LongMemEval:
		return parseLongMemEval
	case HarperValley:
		return parseHarperValley
	case PriMock57:
		return parsePriMock57
	default:
		return parseNative
	}
}

// open unpacks r if need be, drops a byte order mark, and finds out the format.
func open(r io.Reader, opts Options) (io.Reader, Format, error) {
	buffered := bufio.NewReaderSize(r, HeadSize)
	if magic, _ := buffered.Peek(2); bytes.Equal(magic, gzipMagic) {
		unpacked, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, "", unreadable(err)
		}
		buffered = bufio.NewReaderSize(unpacked, HeadSize)
	}
	if mark, _ := buffered.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		_, _ = buffered.Discard(len(byteOrderMark)) // cannot fail: they were seen
	}
	if opts.Format != "" {
		for _, known := range Formats() {
			if opts.Format == known {
				return buffered, known, nil
			}
		}
		return nil, "", recaller.InvalidField("format", "expected one of %v", Formats())
	}
	head, err := buffered.Peek(HeadSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, "", unreadable(err)
	}
	format, err := Detect(opts.Name, head)
	return buffered, format, err
}

const byteOrderMark = "\uFEFF"

var gzipMagic = []byte{0x1f, 0x8b}

// unreadable is the error for input that breaks off or is no gzip.
func unreadable(err error) error {
	return recaller.Wrap(recaller.Invalid, err, "the file cannot be read to its end")
}

// at returns an error that names a line and a field; field may be empty.
func at(line int, field, format string, args ...any) error {
	place := fmt.Sprintf("line %d", line)
	if field != "" {
		place += ": " + field
	}
	return recaller.InvalidField(place, format, args...)
}
