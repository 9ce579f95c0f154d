package cli

import (
	"cmp"
	"strings"

	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/llm"
)

// config loads the settings once: flags, environment, file, defaults.
func (s *session) config() (config.Config, error) {
	if s.loaded != nil {
		return *s.loaded, nil
	}
	overrides := map[string]string{}
	for name, value := range s.globals.Set {
		overrides[name] = value
	}
	if s.globals.Data != "" {
		overrides["data"] = s.globals.Data
	}
	for name, value := range s.overrides {
		overrides[name] = value
	}
	cfg, err := config.Load(config.Options{
		File:      s.globals.Config,
		Env:       s.lookup,
		EnvNames:  s.envNames(),
		Overrides: overrides,
	})
	if err != nil {
		return config.Config{}, &failure{
			code: ExitUsage, msg: "the configuration is wrong", err: err,
			hint: "`recaller config --help` tells how settings are given",
		}
	}
	s.loaded = &cfg
	return cfg, nil
}

// lookup reads the environment.
func (s *session) lookup(name string) (string, bool) {
	value := s.getenv(name)
	return value, value != ""
}

func (s *session) envNames() []string {
	names := make([]string, 0, len(s.env))
	for _, entry := range s.env {
		name, _, _ := strings.Cut(entry, "=")
		names = append(names, name)
	}
	return names
}

// model returns the chat model that is configured, if one is.
func (s *session) model() (*llm.Client, bool) { return s.modelNamed("") }

// modelNamed is model, but asks another model of the same provider. "": the one that is configured.
func (s *session) modelNamed(name string) (*llm.Client, bool) {
	cfg, err := s.config()
	if err != nil {
		return nil, false
	}
	provider, ok := cfg.Provider()
	if !ok {
		return nil, false
	}
	return llm.New(llm.Settings{
		Patient:  provider.Local(),
		Provider: provider.Protocol, BaseURL: provider.BaseURL, APIKey: provider.APIKey.Reveal(),
		Model: cmp.Or(name, provider.Model), Timeout: cfg.Model.Timeout,
	}), true
}
