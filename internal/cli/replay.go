package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/cli/term"
	"github.com/recallerhq/recaller/internal/transcript"
)

// replayCmd is `recaller replay FILE…`.
type replayCmd struct {
	File       []string `arg:"" help:"Transcripts; - is standard input, gzip is unpacked"`
	Format     string   `default:"auto" placeholder:"FORMAT" enum:"auto,native,text,longmemeval,harpervalley,primock57" help:"auto, native, text, longmemeval, harpervalley, primock57"`
	Phone      who      `placeholder:"PHONE" help:"Who called, whatever the files say"`
	As         string   `default:"past" placeholder:"HOW" enum:"past,live" help:"past: import them as they were; live: play them as calls that happen now"`
	At         string   `placeholder:"TIME" help:"When they took place, where the files do not say (else: the file's own time)"`
	Speed      float64  `placeholder:"N" help:"With --as live: 1 is real time, 10 ten times as fast (else: without waiting)"`
	Question   string   `placeholder:"ID" help:"LongMemEval: only the user of this question, by id or place"`
	Recogniser bool     `help:"HarperValley: the words as the speech recogniser heard them"`
	NoWrapup   bool     `help:"Do not write them up: no summaries, no memories, only recall"`
	JSON       bool     `name:"json" help:"Print what became of each conversation as JSON"`
}

// Help says what it is.
func (*replayCmd) Help() string {
	return "Reads conversations out of files: our own JSON lines (the body of POST /v1/conversations/import), plain " +
		"SPEAKER: text transcripts, and the JSON of LongMemEval, HarperValley and PriMock57. All files are checked " +
		"before anything is kept. Replaying a file again changes nothing. Where a transcript has no times, its " +
		"turns are laid out at the pace of speech."
}

// Examples are lines to try.
func (*replayCmd) Examples() []string {
	return []string{
		"recaller replay calls.jsonl",
		"recaller replay call.txt --phone +15550100199",
		"recaller replay longmemeval_s.json.gz --question 118b2229 --phone +15550100199",
		"recaller replay call.txt --phone +15550100199 --as live --speed 4",
	}
}

// replayed is what became of one conversation.
type replayed struct {
	File         string              `json:"file"`
	Existing     bool                `json:"existing,omitempty"` // it was already there
	Phone        string              `json:"caller"`             // as the command line names callers
	Conversation client.Conversation `json:"conversation"`
}

// Run replays the files.
func (c *replayCmd) Run(ctx context.Context, s *session) error {
	at, err := timeOf("--at", c.At)
	if err != nil {
		return err
	}
	sources, total, err := c.check(s, at)
	if err != nil {
		return err
	}
	api, err := s.api(ctx)
	if err != nil {
		return err
	}
	if err := c.checkWith(ctx, s, api, sources); err != nil {
		return err
	}
	begun := s.now()
	done, err := c.play(ctx, s, api, sources, total)
	if err != nil {
		return err
	}
	kept := s.now()
	if err := c.awaitWrapup(ctx, s, api, done); err != nil {
		return err
	}
	if c.JSON {
		return s.json(map[string]any{"conversations": done})
	}
	writeReplayed(s.out, done, !c.NoWrapup)
	turns := 0
	for _, r := range done {
		turns += r.Conversation.TurnCount
	}
	written := ""
	if !c.NoWrapup {
		written = ", written up in " + brief(s.now().Sub(kept))
	}
	s.notef("%s, %s: kept in %s%s", count(len(done), "conversation"), count(turns, "turn"), brief(kept.Sub(begun)),
		written)
	return nil
}

// source is one file to replay, which can be read more than once.
type source struct {
	name    string
	open    func() (io.ReadCloser, error)
	options transcript.Options
}

// check reads all files once and counts, so that a malformed file stops everything before anything is kept.
func (c *replayCmd) check(s *session, at time.Time) (sources []source, total int, err error) {
	for _, name := range c.File {
		src, err := c.source(s, name, at)
		if err != nil {
			return nil, 0, err
		}
		err = src.each(func(transcript.Conversation) error {
			total++
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
		sources = append(sources, src)
	}
	return sources, total, nil
}

// checkWith asks the server what it would refuse, so that a file is kept whole or not at all.
func (c *replayCmd) checkWith(ctx context.Context, s *session, api *client.Client, sources []source) error {
	for _, src := range sources {
		place := 0
		err := src.each(func(conv transcript.Conversation) error {
			place++
			if err := api.CheckImport(ctx, pastOf(c.by(conv), !c.NoWrapup, s.now())); err != nil {
				return c.refusal(src, place, err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// by gives a conversation the caller of --phone, if there is one.
func (c *replayCmd) by(conv transcript.Conversation) transcript.Conversation {
	if c.Phone != "" {
		conv.Caller.Phone, conv.Caller.ExternalID = c.Phone.phone(), c.Phone.externalID()
	}
	return conv
}

func (c *replayCmd) source(s *session, name string, at time.Time) (source, error) {
	src := source{name: name, options: transcript.Options{
		Name:       name,
		Caller:     transcript.Caller{Phone: c.Phone.phone(), ExternalID: c.Phone.externalID()},
		StartedAt:  at,
		Question:   c.Question,
		Recogniser: c.Recogniser,
	}}
	if c.Format != "auto" {
		src.options.Format = transcript.Format(c.Format)
	}
	if name == "-" {
		all, err := io.ReadAll(s.in)
		if err != nil {
			return source{}, fmt.Errorf("read standard input: %w", err)
		}
		src.name, src.options.Name = "standard input", ""
		src.open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(all)), nil }
		if at.IsZero() {
			src.options.StartedAt = s.now().Add(-time.Hour).Truncate(time.Second)
		}
		return src, nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return source{}, fileFailure(name, err)
	}
	if info.IsDir() {
		return source{}, usagef("%s is a folder: name the files in it", name)
	}
	if at.IsZero() {
		src.options.StartedAt = info.ModTime().Truncate(time.Second)
	}
	src.open = func() (io.ReadCloser, error) { return os.Open(name) }
	return src, nil
}

// fileFailure says what is wrong with a file, and names the file once.
func fileFailure(name string, err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return failf("%s: %v", name, err)
}

// each reads the source's conversations one by one.
func (src source) each(f func(transcript.Conversation) error) error {
	file, err := src.open()
	if err != nil {
		return fileFailure(src.name, err)
	}
	defer file.Close()
	for conv, err := range transcript.Parse(file, src.options) {
		if err != nil {
			return src.malformed(err)
		}
		if err := f(conv); err != nil {
			return err
		}
	}
	return nil
}

// malformed says where a file is not as expected.
func (src source) malformed(err error) error {
	hint := ""
	if strings.Contains(err.Error(), "who calls") {
		hint = "say who called with --phone"
	}
	return &failure{code: ExitFailed, msg: src.name + ": " + plain(err), hint: hint}
}

// play keeps every conversation, in order.
func (c *replayCmd) play(
	ctx context.Context, s *session, api *client.Client, sources []source, total int,
) ([]replayed, error) {
	bar := s.err.Progress("Replaying", total)
	defer bar.Done()
	done := make([]replayed, 0, total)
	for _, src := range sources {
		place := 0
		err := src.each(func(conv transcript.Conversation) error {
			place++
			r, err := c.one(ctx, s, api, c.by(conv))
			if err != nil {
				return c.refusal(src, place, err)
			}
			r.File = src.name
			done = append(done, r)
			bar.Step()
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return done, nil
}

// refusal says which conversation the server did not take.
func (c *replayCmd) refusal(src source, place int, err error) error {
	var p *client.Problem
	if !errors.As(err, &p) {
		return err
	}
	return &failure{
		code: codeOf(badPhone(err, c.Phone)), msg: fmt.Sprintf("%s: conversation %d: %s", src.name, place, plain(err)),
		hint: adviceOn(err),
	}
}

func (c *replayCmd) one(
	ctx context.Context, s *session, api *client.Client, conv transcript.Conversation,
) (replayed, error) {
	r := replayed{Phone: conv.Caller.Phone}
	if r.Phone == "" {
		r.Phone = "ext:" + conv.Caller.ExternalID
	}
	if c.As == "live" {
		kept, err := playLive(ctx, s, api, conv, c.Speed)
		r.Conversation = kept
		return r, err
	}
	kept, err := api.ImportConversation(ctx, pastOf(conv, !c.NoWrapup, s.now()))
	r.Conversation, r.Existing = kept.Conversation, kept.Existing
	if kept.Caller.Phone != "" || kept.Caller.ExternalID != "" {
		r.Phone = identityOf(kept.Caller)
	}
	return r, err
}

// awaitWrapup waits until all are written up, and puts what was made of them into done.
func (c *replayCmd) awaitWrapup(ctx context.Context, s *session, api *client.Client, done []replayed) error {
	if c.NoWrapup {
		return nil
	}
	bar := s.err.Progress("Writing up", len(done))
	defer bar.Done()
	late := 0
	for i := range done {
		record, ok, err := waitWrapup(ctx, api, done[i].Conversation.ID, wrapupWait)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !ok {
			late++
		}
		if record.Conversation.ID != "" {
			done[i].Conversation = record.Conversation
		}
		bar.Step()
	}
	if late > 0 {
		s.notef("%s %d are not written up yet; it goes on where the data is served", s.err.Warn("warning:"), late)
	}
	return nil
}

// writeReplayed shows what became of the conversations.
func writeReplayed(out term.Out, done []replayed, wrapup bool) {
	rows := make([][]string, len(done))
	for i, r := range done {
		intent, summary := "", ""
		if a := r.Conversation.Analysis; a != nil {
			intent = strings.ReplaceAll(a.Intent, "_", " ")
		}
		if sum := r.Conversation.Summary; sum != nil {
			summary = sum.Brief
		}
		if r.Existing {
			summary = "(was there already) " + summary
		}
		rows[i] = []string{
			r.Conversation.StartedAt.Format("2006-01-02 15:04"), r.Phone,
			fmt.Sprint(r.Conversation.TurnCount), intent, summary,
		}
	}
	columns := []term.Column{{Title: "WHEN"}, {Title: "CALLER", Most: 18}, {Title: "TURNS", Right: true}}
	if wrapup {
		columns = append(columns, term.Column{Title: "INTENT", Most: 20},
			term.Column{Title: "SUMMARY", Most: max(44, out.Width-64)})
	}
	out.Table(columns, rows)
}

// brief returns a duration as people read it.
func brief(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	default:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
}

// statusOf returns how a live call must end if the recorded one ended so.
func statusOf(conv transcript.Conversation) (recaller.Status, string) {
	if conv.Status == recaller.Failed {
		return recaller.Failed, "connection lost"
	}
	return recaller.Completed, "hangup"
}
