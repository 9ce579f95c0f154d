package cli

import (
	"fmt"

	"github.com/recallerhq/recaller/internal/cli/term"
	"github.com/recallerhq/recaller/internal/config"
)

// configCmd is `recaller config`.
type configCmd struct {
	Markdown bool `help:"Print the table of all settings for the documentation"`
	JSON     bool `name:"json" help:"Print the settings as JSON"`
}

// Help says what it is.
func (*configCmd) Help() string {
	return "Flags beat the environment, the environment beats the file, the file beats the defaults. Secrets are " +
		"shown as [redacted]."
}

// Examples are lines to try.
func (*configCmd) Examples() []string {
	return []string{
		"recaller config",
		"RECALLER_CONFIG=recaller.toml recaller config --set briefing-tokens=800",
	}
}

// Run prints the settings.
func (c *configCmd) Run(s *session) error {
	if c.Markdown {
		_, err := fmt.Fprint(s.out, config.Markdown())
		return err
	}
	cfg, err := s.config()
	if err != nil {
		return err
	}
	list := cfg.Describe()
	if c.JSON {
		return s.json(map[string]any{"settings": list})
	}
	rows := make([][]string, len(list))
	for i, set := range list {
		value := set.Value
		if value == "" {
			value = "-"
		}
		rows[i] = []string{set.Name, value, string(set.From), set.Env}
	}
	s.out.Table([]term.Column{{Title: "SETTING"}, {Title: "VALUE", Most: 44}, {Title: "FROM"}, {Title: "VARIABLE"}},
		rows)
	for _, warning := range cfg.Warnings() {
		s.notef("%s %s", s.err.Warn("warning:"), warning)
	}
	return nil
}
