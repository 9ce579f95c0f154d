package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// exportCmd is `recaller export PHONE`.
type exportCmd struct {
	Phone  who    `arg:"" help:"Whose data to export"`
	Output string `short:"o" placeholder:"FILE" help:"Write it to this file, readable by you alone; it must not exist yet"`
}

// Help says what it is.
func (*exportCmd) Help() string {
	return "Writes all that is held about a caller as one JSON object: identities, conversations with their words " +
		"and summaries, memories with their history, the checkpoint. It is written while it is read, so a caller of any " +
		"size takes little memory. If it breaks off, the file is removed; what went to standard output is no valid JSON."
}

// Examples are lines to try.
func (*exportCmd) Examples() []string {
	return []string{
		"recaller export +15550100199 -o caller.json",
		"recaller export ext:user-42 | jq '.memories | length'",
	}
}

// Run exports the caller.
func (c *exportCmd) Run(ctx context.Context, s *session) error {
	api, caller, err := s.caller(ctx, c.Phone)
	if err != nil {
		return err
	}
	if c.Output == "" {
		return api.ReadExport(ctx, caller.ID, func(body io.Reader) error {
			_, err := indent(s.out, body)
			return err
		})
	}
	var lists map[string]int
	err = writeNew(c.Output, func(file io.Writer) error {
		return api.ReadExport(ctx, caller.ID, func(body io.Reader) (err error) {
			lists, err = indent(file, body)
			return err
		})
	})
	if err != nil {
		return err
	}
	s.notef("wrote %s: %s, %s", c.Output, count(lists["conversations"], "conversation"),
		count(lists["memories"], "version")+" of memories")
	return nil
}

// writeNew has a file written that only its owner can read. After a failure nothing of it is left.
func writeNew(path string, write func(io.Writer) error) error {
	file, err := os.OpenFile(filepath.Clean(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write the export: %w", err)
	}
	err = write(file)
	if err == nil {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = os.Remove(path) // the first error tells more
		return fmt.Errorf("write the export: %w", err)
	}
	return nil
}
