package cli

import (
	"bufio"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/cli/term"
)

// eraseCmd is `recaller erase PHONE`.
type eraseCmd struct {
	Phone who  `arg:"" help:"Whom to erase"`
	Yes   bool `short:"y" help:"Do not ask"`
	JSON  bool `name:"json" help:"Print the receipt as JSON; it can be checked against the server's public key"`
}

// Help says what it is.
func (*eraseCmd) Help() string {
	return "Removes every row about a caller and destroys the key that sealed them, so that copies and backups of " +
		"the data cannot be read either (but for embeddings, which are not sealed). It cannot be undone. On a " +
		"terminal it asks for the number again; elsewhere it needs --yes."
}

// Examples are lines to try.
func (*eraseCmd) Examples() []string {
	return []string{
		"recaller erase +15550100199",
		"recaller erase ext:user-42 --yes --json > receipt.json",
	}
}

// Run erases the caller.
func (c *eraseCmd) Run(ctx context.Context, s *session) error {
	api, caller, err := s.caller(ctx, c.Phone)
	if err != nil {
		return err
	}
	if !c.Yes {
		if err := c.confirm(s, caller); err != nil {
			return err
		}
	}
	receipt, err := api.EraseCaller(ctx, caller.ID)
	if err != nil {
		return err
	}
	if c.JSON {
		return s.json(receipt)
	}
	writeReceipt(s.out, receipt)
	return nil
}

// confirm makes the user type the number again.
func (c *eraseCmd) confirm(s *session, caller client.Caller) error {
	if !term.IsTerminal(s.in) {
		return usagef("erasing cannot be undone: say --yes where nobody can be asked")
	}
	want := identityOf(caller)
	fmt.Fprintf(s.err, "This erases %s for ever: %s and everything remembered.\n", s.err.Bold(term.Clean(want)),
		count(caller.Conversations, "conversation"))
	fmt.Fprintf(s.err, "Type %s to go on: ", want)
	typed, _ := bufio.NewReader(s.in).ReadString('\n') // an end of input is no confirmation
	if strings.TrimSpace(typed) != want {
		return failf("not confirmed; nothing was erased")
	}
	return nil
}

// identityOf returns the identity by which the command line names a caller.
func identityOf(caller client.Caller) string {
	if caller.Phone != "" {
		return caller.Phone
	}
	if caller.ExternalID != "" {
		return "ext:" + caller.ExternalID
	}
	return caller.ID
}

func writeReceipt(out term.Out, r recaller.Receipt) {
	fmt.Fprintf(out, "%s on %s\n", out.Good("Erased"), r.ErasedAt.Local().Format("2 Jan 2006 15:04:05"))
	for _, kind := range slices.Sorted(maps.Keys(r.Erased)) {
		fmt.Fprintf(out, "  %-16s %d\n", kind, r.Erased[kind])
	}
	fmt.Fprintf(out, "Key destroyed  %s\n", r.KeyFingerprint)
	for _, place := range r.Remains {
		fmt.Fprintf(out, "Remains        %s: %s\n", term.Clean(string(place)), remains(place))
	}
	fmt.Fprintf(out, "Receipt        %s\n", r.ID)
	fmt.Fprintf(out, "Signature      %s  (whole with --json)\n", term.Short(hex.EncodeToString(r.Signature), 24))
}

// remains says what a trace is waiting for.
func remains(place recaller.Remain) string {
	switch place {
	case recaller.RemainLog:
		return "blind tokens and embeddings, until the write-ahead log is emptied or recycled"
	case recaller.RemainIndex:
		return "blind tokens of words, until the index is merged; the next erasure does it"
	case recaller.RemainRows:
		return "blind tokens and embeddings, until 'recaller migrate --scrub'"
	case recaller.RemainBackup:
		return "blind tokens and embeddings, until the backup that is running ends; should it be killed, until the server looks"
	case recaller.RemainStandbys:
		return "the same on standbys, until they have followed"
	}
	return "not known to this version"
}
