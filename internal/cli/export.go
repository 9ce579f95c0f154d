package cli

import (
	"context"
	"fmt"
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
		"and summaries, memories with their history, the checkpoint."
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
	data, err := api.ExportCaller(ctx, caller.ID)
	if err != nil {
		return err
	}
	if c.Output == "" {
		return s.json(data)
	}
	text, err := indented(data)
	if err != nil {
		return err
	}
	if err := writeNew(c.Output, text); err != nil {
		return err
	}
	s.notef("wrote %s: %s, %s", c.Output, count(len(data.Conversations), "conversation"),
		count(len(data.Memories), "version")+" of memories")
	return nil
}

// writeNew writes a file that only its owner can read. After a failure nothing of it is left.
func writeNew(path string, data []byte) error {
	file, err := os.OpenFile(filepath.Clean(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write the export: %w", err)
	}
	_, err = file.Write(data)
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
