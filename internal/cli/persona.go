package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/cli/term"
)

// personaCmd is `recaller persona`.
type personaCmd struct {
	List     personaListCmd     `cmd:"" help:"List the versions, newest first"`
	Show     personaShowCmd     `cmd:"" help:"Print the text of a version"`
	Put      personaPutCmd      `cmd:"" help:"Make a version, and have the agent be so"`
	Activate personaActivateCmd `cmd:"" help:"Go back to a version"`
	Preview  personaPreviewCmd  `cmd:"" help:"Show what the agent would be told with another persona"`
}

// Help says what it is.
func (*personaCmd) Help() string {
	return "The persona is how the agent is: the first thing that it is told. Each change makes a version; a version never changes, and " +
		"one of them is active. A thread may have another one of its own."
}

// personaListCmd is `recaller persona list`.
type personaListCmd struct {
	JSON bool `name:"json" help:"Print them as JSON"`
}

// Examples are lines to try.
func (*personaListCmd) Examples() []string { return []string{"recaller persona list"} }

// Run lists the versions.
func (c *personaListCmd) Run(ctx context.Context, s *session) error {
	api, err := s.api(ctx)
	if err != nil {
		return err
	}
	list, err := allPersonas(ctx, api)
	if err != nil {
		return err
	}
	if c.JSON {
		return s.json(map[string]any{"versions": list})
	}
	if len(list) == 0 {
		s.notef("there is no persona yet: the agent is told to be friendly. `recaller persona put TEXT` makes one")
		return nil
	}
	rows := make([][]string, len(list))
	for i, p := range list {
		active := ""
		if p.Active {
			active = "active"
		}
		rows[i] = []string{strconv.Itoa(p.Version), active, madeAt(p), p.Label, strings.Join(strings.Fields(p.Text), " ")}
	}
	s.out.Table([]term.Column{
		{Title: "VERSION", Right: true}, {Title: ""}, {Title: "MADE"}, {Title: "LABEL", Most: 28}, {Title: "TEXT", Most: max(20, s.out.Width-60)},
	}, rows)
	return nil
}

func madeAt(p client.Persona) string {
	if p.CreatedAt == nil {
		return ""
	}
	return p.CreatedAt.Local().Format("2 Jan 2006 15:04")
}

// personaShowCmd is `recaller persona show`.
type personaShowCmd struct {
	Version int  `arg:"" optional:"" help:"Which one (else: the active one)"`
	JSON    bool `name:"json" help:"Print it as JSON"`
}

// Examples are lines to try.
func (*personaShowCmd) Examples() []string {
	return []string{"recaller persona show", "recaller persona show 2 > persona.txt"}
}

// Run prints a version.
func (c *personaShowCmd) Run(ctx context.Context, s *session) error {
	api, err := s.api(ctx)
	if err != nil {
		return err
	}
	p, err := api.Persona(ctx)
	if err != nil {
		return err
	}
	if c.Version != 0 && c.Version != p.Version {
		if p, err = personaOf(ctx, api, c.Version); err != nil {
			return err
		}
	}
	switch {
	case c.JSON:
		return s.json(p)
	case p.Version == 0:
		s.notef("no persona is active: the agent is told to be friendly. `recaller persona put TEXT` makes one")
		return nil
	}
	s.verbosef("version %d, %s, %s", p.Version, madeAt(p), p.Label)
	fmt.Fprintln(s.out, strings.TrimRight(term.CleanLines(p.Text), "\n"))
	return nil
}

// personaPutCmd is `recaller persona put`.
type personaPutCmd struct {
	Text  string `arg:"" optional:"" help:"How the agent is; - reads it from standard input"`
	File  string `placeholder:"FILE" help:"Read the text from this file"`
	Label string `placeholder:"TEXT" help:"What the version is called in lists"`
	JSON  bool   `name:"json" help:"Print the version as JSON"`
}

// Examples are lines to try.
func (*personaPutCmd) Examples() []string {
	return []string{
		`recaller persona put "You are Jarvis: dry, exact, and kind." --label butler`,
		"recaller persona put --file persona.txt",
	}
}

// maxPersonaFile is how many bytes of a text are read: more than the server takes, so that it says what is too long.
const maxPersonaFile = 64 << 10

// Run makes a version and activates it.
func (c *personaPutCmd) Run(ctx context.Context, s *session) error {
	text, err := c.text(s)
	if err != nil {
		return err
	}
	api, err := s.api(ctx)
	if err != nil {
		return err
	}
	p, err := api.SetPersona(ctx, client.PersonaInput{Text: text, Label: c.Label})
	if err != nil {
		return err
	}
	return s.isActive(p, c.JSON)
}

func (c *personaPutCmd) text(s *session) (string, error) {
	switch {
	case (c.Text == "") == (c.File == ""):
		return "", usagef("give a text, - for standard input, or --file FILE")
	case c.Text == "-":
		raw, err := io.ReadAll(io.LimitReader(s.in, maxPersonaFile))
		return string(raw), err
	case c.Text != "":
		return c.Text, nil
	}
	f, err := os.Open(c.File)
	if err != nil {
		return "", err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxPersonaFile))
	return string(raw), err
}

// isActive says which version is active now.
func (s *session) isActive(p client.Persona, asJSON bool) error {
	if asJSON {
		return s.json(p)
	}
	label := ""
	if p.Label != "" {
		label = " (" + term.Clean(p.Label) + ")"
	}
	fmt.Fprintf(s.out, "%s version %d%s is active.\n", s.out.Good("●"), p.Version, label)
	return nil
}

// personaActivateCmd is `recaller persona activate`.
type personaActivateCmd struct {
	Version int  `arg:"" help:"Which one"`
	JSON    bool `name:"json" help:"Print the version as JSON"`
}

// Examples are lines to try.
func (*personaActivateCmd) Examples() []string { return []string{"recaller persona activate 1"} }

// Run goes back to a version.
func (c *personaActivateCmd) Run(ctx context.Context, s *session) error {
	api, err := s.api(ctx)
	if err != nil {
		return err
	}
	p, err := api.ActivatePersona(ctx, c.Version)
	if err != nil {
		return err
	}
	return s.isActive(p, c.JSON)
}

// personaPreviewCmd is `recaller persona preview`.
type personaPreviewCmd struct {
	Version   int    `arg:"" optional:"" help:"With which one (else: the one that is active, or that the thread has)"`
	Text      string `placeholder:"TEXT" help:"With this text, in place of a version"`
	Caller    who    `placeholder:"PHONE" optional:"" xor:"whom" help:"What it would be told of this caller (else: of somebody who was never there)"`
	Thread    string `placeholder:"ID" xor:"whom" help:"The prompt of this thread, by its id or external id"`
	Query     string `placeholder:"TEXT" help:"What is talked about; of a thread, the message"`
	MaxTokens int    `placeholder:"N" help:"Most tokens it may take (default: the server's)"`
	JSON      bool   `name:"json" help:"Print it with its parts as JSON"`
}

// Help says what it is.
func (*personaPreviewCmd) Help() string {
	return "Prints the whole system prompt as it would be with a text or a version in place of the active persona. Nothing is stored."
}

// Examples are lines to try.
func (*personaPreviewCmd) Examples() []string {
	return []string{
		`recaller persona preview --text "You are a pirate." --caller +15550100199`,
		`recaller persona preview 1 --thread telegram:111 --query "Which wood?"`,
	}
}

// Run prints the preview.
func (c *personaPreviewCmd) Run(ctx context.Context, s *session) error {
	in := client.PersonaPreview{ThreadID: c.Thread, Query: c.Query, MaxTokens: c.MaxTokens}
	if c.Version != 0 {
		in.Version = &c.Version
	}
	if c.Text != "" {
		in.Text = &c.Text
	}
	var api *client.Client
	var err error
	if c.Caller != "" {
		var of client.Caller
		if api, of, err = s.caller(ctx, c.Caller); err != nil {
			return err
		}
		in.CallerID = of.ID
	} else if api, err = s.api(ctx); err != nil {
		return err
	}
	b, err := api.PreviewPersona(ctx, in)
	if err != nil {
		return err
	}
	return s.briefed(b, c.JSON)
}

// personaOf returns a version.
func personaOf(ctx context.Context, api *client.Client, version int) (client.Persona, error) {
	list, err := allPersonas(ctx, api)
	for _, p := range list {
		if p.Version == version {
			return p, nil
		}
	}
	if err == nil {
		err = &failure{
			code: ExitFailed, msg: fmt.Sprintf("there is no version %d", version), hint: "`recaller persona list` shows those that there are",
		}
	}
	return client.Persona{}, err
}

// allPersonas reads every page of the versions.
func allPersonas(ctx context.Context, api *client.Client) ([]client.Persona, error) {
	list := []client.Persona{}
	for page := (client.Page{Limit: 200}); ; {
		got, err := api.PersonaVersions(ctx, page)
		if err != nil {
			return nil, err
		}
		list = append(list, got.Versions...)
		if page.Cursor = got.NextCursor; page.Cursor == "" {
			return list, nil
		}
	}
}
