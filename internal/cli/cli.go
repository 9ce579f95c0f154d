// Package cli is the command line: each verb has a file. Verbs that handle data speak to a running server through the
// public client. If none runs, they open the data folder themselves, and speak to the same HTTP interface inside the
// process.
//
// It has no rules: what a verb shows, the server could have answered to anyone. Package cli/term decides how things
// look.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/recallerhq/recaller/internal/cli/term"
)

// Exit codes.
const (
	ExitOK     = 0
	ExitFailed = 1 // it did not work
	ExitUsage  = 2 // it was not understood
)

// Process is what the command line gets from the operating system.
type Process struct {
	Version string   // of this build; empty: what the Go toolchain recorded
	Args    []string // without the program's name
	Env     []string // "NAME=value"
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Now     func() time.Time // by which the server tells the time; nil: the machine's clock
}

// Main carries out one command line and returns the exit code. The end of ctx is Ctrl-C.
func Main(ctx context.Context, p Process) int {
	getenv := lookup(p.Env)
	s := &session{
		version: versionOf(p.Version),
		env:     p.Env,
		getenv:  getenv,
		in:      p.Stdin,
		out:     term.New(p.Stdout, getenv),
		err:     term.New(p.Stderr, getenv),
		clock:   p.Now,
	}
	err := run(ctx, s, p.Args)
	if errors.Is(err, errHelpShown) {
		return ExitOK
	}
	if err == nil {
		return ExitOK
	}
	return s.report(err)
}

// run parses the arguments and runs the verb they name.
func run(ctx context.Context, s *session, args []string) (err error) {
	parser, err := newParser(s)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := s.close(); err == nil {
			err = closeErr
		}
	}()
	parsed.BindTo(ctx, (*context.Context)(nil))
	return parsed.Run()
}

// grammar is the whole command line. Its fields are the verbs, in the order of the help.
type grammar struct {
	Globals globals `embed:""`

	Call   callCmd   `cmd:"" group:"talk" help:"Call as a caller, here in the terminal"`
	Chat   chatCmd   `cmd:"" group:"talk" help:"Chat as a user, here in the terminal, in a thread that never ends"`
	Replay replayCmd `cmd:"" group:"talk" help:"Read transcripts, as past conversations or as live calls"`
	Demo   demoCmd   `cmd:"" group:"talk" help:"See it work on real conversations, without a trace"`

	Briefing   briefingCmd   `cmd:"" group:"look" help:"Show what an agent would be told if this caller rang now"`
	Recall     recallCmd     `cmd:"" group:"look" help:"Search everything a caller said and was told"`
	Search     searchCmd     `cmd:"" group:"look" help:"Search the conversations of all callers by what they were about"`
	Memories   memoriesCmd   `cmd:"" group:"look" help:"List what is remembered about a caller"`
	Transcript transcriptCmd `cmd:"" group:"look" help:"Print the words of one conversation"`

	Export  exportCmd  `cmd:"" group:"own" help:"Write all that is held about a caller as JSON"`
	Erase   eraseCmd   `cmd:"" group:"own" help:"Erase a caller for ever, with a signed receipt"`
	Callers callersCmd `cmd:"" group:"own" help:"Merge, split and undo: who is who"`
	Receipt receiptCmd `cmd:"" group:"own" help:"Check the receipt of an erasure"`

	Persona personaCmd `cmd:"" group:"run" help:"Look after how the agent is: versions, and what it would be told with them"`
	Webhook webhookCmd `cmd:"" group:"run" help:"Look after the address that is told what happens"`

	Serve   serveCmd   `cmd:"" group:"run" help:"Run the server"`
	MCP     mcpCmd     `cmd:"" name:"mcp" group:"run" help:"Serve the Model Context Protocol on standard input and output"`
	Migrate migrateCmd `cmd:"" group:"run" help:"Make or update the tables on Postgres"`
	Backup  backupCmd  `cmd:"" group:"run" help:"Back up data and keys, while the server serves"`
	Restore restoreCmd `cmd:"" group:"run" help:"Put a backup into an empty data folder"`
	Move    moveCmd    `cmd:"" group:"run" help:"Copy an installation on SQLite to Postgres"`
	Doctor  doctorCmd  `cmd:"" group:"run" help:"Check the installation, and say what to do"`
	Config  configCmd  `cmd:"" group:"run" help:"Show the settings in effect, and where each comes from"`
	Keys    keysCmd    `cmd:"" group:"run" help:"Look after the encryption keys"`
	Eval    evalCmd    `cmd:"" group:"run" help:"Measure how well recall finds, on questions with known answers"`
	Version versionCmd `cmd:"" group:"run" help:"Print the version"`

	Help helpCmd `cmd:"" hidden:"" help:"Show help for a verb"`
}

// globals are the flags of every verb.
type globals struct {
	Server      string            `placeholder:"URL" help:"Speak to this server only (else: the one at RECALLER_ADDR, and where none runs, the data folder itself)"`
	Data        string            `placeholder:"DIR" help:"The data folder, whatever server runs (RECALLER_DATA, ./data)"`
	Config      string            `placeholder:"FILE" help:"Read settings from this file (RECALLER_CONFIG)"`
	Set         map[string]string `mapsep:"none" placeholder:"NAME=VALUE" help:"Override a setting for this run; 'recaller config' lists them"`
	Verbose     bool              `short:"v" help:"Say on stderr what happens behind the scenes"`
	HelpFlag    askHelp           `name:"help" short:"h" help:"Show help"`
	VersionFlag askVersion        `name:"version" help:"Print the version"`
}

func groups() []kong.Group {
	return []kong.Group{
		{Key: "talk", Title: "Talk"},
		{Key: "look", Title: "Look"},
		{Key: "own", Title: "Give and take away"},
		{Key: "run", Title: "Run"},
	}
}

// newParser returns a parser whose verbs run in s.
func newParser(s *session) (*kong.Kong, error) {
	g := &grammar{}
	s.globals = &g.Globals
	parser, err := kong.New(g,
		kong.Name("recaller"),
		kong.Description("The memory of agents that talk to people: who is calling, what they should be told, and "+
			"what to keep of it."),
		kong.ExplicitGroups(groups()),
		kong.NoDefaultHelp(),
		kong.Help(printHelp),
		kong.Writers(s.out, s.err),
		kong.Exit(func(int) {}),
		kong.Bind(s),
	)
	if err != nil {
		return nil, fmt.Errorf("build the command line: %w", err)
	}
	return parser, nil
}

// lookup returns a reader of environment entries. Of two with the same name the last counts.
func lookup(env []string) func(string) string {
	values := make(map[string]string, len(env))
	for _, entry := range env {
		if name, value, ok := strings.Cut(entry, "="); ok {
			values[name] = value
		}
	}
	return func(name string) string { return values[name] }
}
