package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/privacy"
)

// receiptCmd is `recaller receipt FILE`.
type receiptCmd struct {
	File string `arg:"" help:"The receipt as JSON, as 'recaller erase --json' printed it; - reads stdin"`
	JSON bool   `name:"json" help:"Print what was found as JSON"`
}

// Help says what it is.
func (*receiptCmd) Help() string {
	return "Checks the receipt of an erasure, however old: that not a word of it was changed, and that this " +
		"installation signed it. It fails if either does not hold."
}

// Examples are lines to try.
func (*receiptCmd) Examples() []string {
	return []string{"recaller erase +15550100199 --yes --json > receipt.json", "recaller receipt receipt.json"}
}

// maxReceipt bounds the file.
const maxReceipt = 1 << 20

// Run checks the receipt.
func (c *receiptCmd) Run(ctx context.Context, s *session) error {
	r, err := c.read(s)
	if err != nil {
		return err
	}
	api, err := s.api(ctx)
	if err != nil {
		return err
	}
	found, err := api.CheckReceipt(ctx, r)
	if err != nil {
		return err
	}
	switch {
	case c.JSON:
		err = s.json(found)
	case found.Ours:
		writeReceipt(s.out, r)
		fmt.Fprintf(s.out, "%s not a word was changed, and this installation signed it\n", s.out.Good("Holds:"))
	}
	switch {
	case err != nil || found.Ours:
		return err
	case c.JSON:
		return errSilent
	case found.Intact:
		return failf("the receipt is whole, but another installation signed it")
	}
	return failf("the receipt was changed, or its signature belongs to another one")
}

// read reads the receipt from the file. It fails if the file holds anything else, because that would not be checked.
func (c *receiptCmd) read(s *session) (r recaller.Receipt, err error) {
	in := s.in
	if c.File != "-" {
		file, err := os.Open(c.File)
		if err != nil {
			return r, usagef("%s cannot be read", c.File)
		}
		defer func() { _ = file.Close() }() // nothing was written
		in = file
	}
	raw, err := io.ReadAll(io.LimitReader(in, maxReceipt+1))
	switch {
	case err != nil:
		return r, usagef("%s cannot be read", c.File)
	case len(raw) > maxReceipt:
		return r, usagef("%s is larger than any receipt", c.File)
	}
	if r, err = privacy.ReadReceipt(raw); err != nil {
		return r, usagef("%s is not a receipt as it was issued: %v", c.File, err)
	}
	return r, nil
}
