package config_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/config"
)

var update = flag.Bool("update", false, "write the table of settings into docs/configuration.md")

const key = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

func env(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
}

func file(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "recaller.toml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func load(t testing.TB, opts config.Options) config.Config {
	t.Helper()
	c, err := config.Load(opts)
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return c
}

func setting(t testing.TB, c config.Config, name string) config.Setting {
	t.Helper()
	for _, s := range c.Describe() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no setting %s", name)
	return config.Setting{}
}

func TestDefaults(t *testing.T) {
	c := load(t, config.Options{})
	for name, got := range map[string][2]any{
		"addr":        {c.Addr, "127.0.0.1:8787"},
		"data":        {c.Data, "./data"},
		"xai model":   {c.XAI.Model, "grok-3-fast"},
		"context":     {c.Voice.ContextLimit, 3},
		"sync":        {c.Voice.SyncInterval, 30 * time.Second},
		"enabled":     {c.Voice.Enabled, true},
		"body":        {c.Limits.BodyBytes, int64(4 << 20)},
		"import":      {c.Limits.ImportBytes, int64(32 << 20)},
		"rate":        {c.Limits.Rate, 10000.0},
		"deadline":    {c.Briefing.Deadline, 250 * time.Millisecond},
		"tokens":      {c.Briefing.Tokens, 1500},
		"cache":       {c.RecallCacheBytes, int64(64 << 20)},
		"grace":       {c.ShutdownGrace, 15 * time.Second},
		"workers":     {c.Workers, 2},
		"retention":   {c.Defaults.Retention, recaller.Keep},
		"log level":   {c.Log.Level, slog.LevelInfo},
		"metrics":     {c.MetricsAddr, ""},
		"api key set": {c.APIKey.Set(), false},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: got %v, want %v", name, got[0], got[1])
		}
	}
	if w := c.Warnings(); len(w) != 0 {
		t.Errorf("the defaults warn: %q", w)
	}
	if _, ok := c.Provider(); ok {
		t.Error("there is a chat model by default")
	}
	for _, s := range c.Describe() {
		if s.From != config.FromDefault {
			t.Errorf("%s comes from %s", s.Name, s.From)
		}
	}
}

func TestFlagsBeatEnvironmentBeatsFileBeatsDefaults(t *testing.T) {
	path := file(t, `
addr = "127.0.0.1:1"
workers = 3
data = "from-file"
[briefing]
tokens = 900
deadline = "100ms"
`)
	c := load(t, config.Options{
		File:      path,
		Env:       env(map[string]string{"RECALLER_ADDR": "127.0.0.1:2", "RECALLER_WORKERS": "4", "RECALLER_BRIEFING_TOKENS": "", "RECALLER_LOG_LEVEL": "warn"}),
		Overrides: map[string]string{"addr": "127.0.0.1:3"},
	})
	for name, want := range map[string]struct {
		value string
		from  config.Source
	}{
		"addr":              {"127.0.0.1:3", config.FromFlag},
		"workers":           {"4", config.FromEnvironment},
		"log-level":         {"warn", config.FromEnvironment},
		"data":              {"from-file", config.FromFile},
		"briefing-tokens":   {"900", config.FromFile}, // the variable is empty: not set
		"briefing-deadline": {"100ms", config.FromFile},
		"shutdown-grace":    {"15s", config.FromDefault},
		"config":            {path, config.FromFlag},
	} {
		if got := setting(t, c, name); got.Value != want.value || got.From != want.from {
			t.Errorf("%s: got %s from %s, want %s from %s", name, got.Value, got.From, want.value, want.from)
		}
	}
}

func TestFileIsFoundByItsVariable(t *testing.T) {
	path := file(t, "addr = \"127.0.0.1:9\"\nencryption_key_previous = [\""+key+"\", \""+key+"\"]")
	c := load(t, config.Options{Env: env(map[string]string{"RECALLER_CONFIG": path})})
	if c.Addr != "127.0.0.1:9" || len(c.PreviousEncryptionKeys) != 2 || c.PreviousEncryptionKeys[1].Reveal() != key {
		t.Errorf("got %s and %d previous keys", c.Addr, len(c.PreviousEncryptionKeys))
	}
}

// Each problem names what is at fault and never repeats a value, for that may be a secret in the wrong place.
func TestProblemsAreNamed(t *testing.T) {
	const hush = "hush-hush"
	for name, test := range map[string]struct {
		env   map[string]string
		file  string
		flags map[string]string
		want  []string // each is a line of the error, or begins one
	}{
		"all at once": {
			env:   map[string]string{"RECALLER_WORKERS": hush, "MEMORY_ENCRYPTION_KEY": hush, "RECALLER_RETENTION": hush},
			flags: map[string]string{"addr": hush},
			want: []string{
				"RECALLER_ADDR: expected host:port", "RECALLER_WORKERS: expected a whole number from 1 to 64",
				"MEMORY_ENCRYPTION_KEY: expected 64 hexadecimal digits", `RECALLER_RETENTION: expected one of ["keep" "archive" "ephemeral"]`,
			},
		},
		"a flag's": {
			flags: map[string]string{"briefing-deadline": hush},
			want:  []string{"RECALLER_BRIEFING_DEADLINE: (flag --briefing-deadline) expected a time with a unit"},
		},
		"the file's": {
			file: "[limits]\nbody_bytes = \"" + hush + "\"",
			want: []string{"RECALLER_MAX_BODY_BYTES: (in the file, limits.body_bytes) expected a size like 4MiB"},
		},
		"unknown in the file": {
			file: "adr = \"" + hush + "\"\n[llm]\nmodell = \"x\"\n[elsewhere]\nthing = 1",
			want: []string{
				`RECALLER_CONFIG: unknown setting "adr" in the file; did you mean addr?`,
				`RECALLER_CONFIG: unknown setting "llm.modell" in the file; did you mean llm.model?`,
				`RECALLER_CONFIG: unknown setting "elsewhere.thing" in the file`,
			},
		},
		"unknown flag": {
			flags: map[string]string{"worker": "1"},
			want:  []string{"--worker: unknown setting; did you mean workers?"},
		},
		"not toml":     {file: "addr = \"a\"\napi_key = " + hush, want: []string{"RECALLER_CONFIG: line 2 is not TOML"}},
		"twice":        {file: "addr = \"a\"\naddr = \"" + hush + "\"", want: []string{"RECALLER_CONFIG: line 2 is not TOML"}},
		"odd type":     {file: "addr = 2020-01-01", want: []string{"addr: expected a text"}},
		"keys apart":   {env: map[string]string{"RECALLER_KEYS_DATABASE_URL": "postgres://u:" + hush + "@h/d"}, want: []string{"RECALLER_KEYS_DATABASE_URL: expected RECALLER_DATABASE_URL with it"}},
		"other stores": {env: map[string]string{"RECALLER_DATABASE_URL": "mysql://" + hush}, want: []string{"RECALLER_DATABASE_URL: expected postgres://"}},
		"a number sign in a password": {
			env:  map[string]string{"RECALLER_DATABASE_URL": "postgres://u:12#" + hush + "@h/d"},
			want: []string{"RECALLER_DATABASE_URL: expected special characters of the password by their codes: %23 for #"},
		},
		"a slash in a password": {
			env:  map[string]string{"RECALLER_OWNER_DATABASE_URL": "postgres://u:a/" + hush + "@h/d"},
			want: []string{"RECALLER_OWNER_DATABASE_URL: expected special characters of the password by their codes"},
		},
		"no model":     {env: map[string]string{"RECALLER_LLM_BASE_URL": "http://localhost:1/v1"}, want: []string{"RECALLER_LLM_MODEL: expected the model"}},
		"no endpoint":  {env: map[string]string{"RECALLER_LLM_API_KEY": hush}, want: []string{"RECALLER_LLM_API_KEY: expected RECALLER_LLM_BASE_URL"}},
		"bad endpoint": {env: map[string]string{"RECALLER_LLM_BASE_URL": hush, "RECALLER_LLM_MODEL": "m"}, want: []string{"RECALLER_LLM_BASE_URL: expected a URL"}},
		"password in URL": {
			env:  map[string]string{"RECALLER_LLM_BASE_URL": "https://u:" + hush + "@h/v1", "RECALLER_LLM_MODEL": "m"},
			want: []string{"RECALLER_LLM_BASE_URL: expected a URL without a password"},
		},
		"region and zone": {
			env:  map[string]string{"RECALLER_DEFAULT_REGION": "us", "RECALLER_DEFAULT_TIME_ZONE": "Mars/Base"},
			want: []string{"RECALLER_DEFAULT_REGION: expected two capital", "RECALLER_DEFAULT_TIME_ZONE: expected an IANA name"},
		},
		"previous key": {env: map[string]string{"MEMORY_ENCRYPTION_KEY_PREVIOUS": key + "," + hush}, want: []string{"MEMORY_ENCRYPTION_KEY_PREVIOUS: key 2 of 2"}},
		"port":         {env: map[string]string{"RECALLER_METRICS_ADDR": "localhost:99999"}, want: []string{"RECALLER_METRICS_ADDR: expected a port"}},
		"sizes":        {env: map[string]string{"RECALLER_MAX_BODY_BYTES": "512MiB"}, want: []string{"RECALLER_MAX_IMPORT_BYTES: expected at least RECALLER_MAX_BODY_BYTES"}},
		"empty flag":   {flags: map[string]string{"addr": ""}, want: []string{"RECALLER_ADDR: expected host:port"}},
	} {
		t.Run(name, func(t *testing.T) {
			opts := config.Options{Env: env(test.env), Overrides: test.flags}
			if test.file != "" {
				opts.File = file(t, test.file)
			}
			_, err := config.Load(opts)
			if !errors.Is(err, recaller.Invalid) {
				t.Fatalf("got %v, want invalid", err)
			}
			lines := strings.Split(err.Error(), "\n")
			if len(lines) != len(test.want) {
				t.Errorf("got %d problems, want %d:\n%v", len(lines), len(test.want), err)
			}
			for _, want := range test.want {
				if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, want) }) {
					t.Errorf("no problem begins with %q:\n%v", want, err)
				}
			}
			if strings.Contains(err.Error(), hush) {
				t.Errorf("the error repeats a value: %v", err)
			}
		})
	}
}

func TestMissingFileIsAnError(t *testing.T) {
	_, err := config.Load(config.Options{File: filepath.Join(t.TempDir(), "none.toml")})
	if !errors.Is(err, recaller.Invalid) || !strings.Contains(err.Error(), "there is no file") {
		t.Errorf("got %v", err)
	}
}

func TestChatModelIsChosenInOrder(t *testing.T) {
	llm := map[string]string{"RECALLER_LLM_BASE_URL": "http://localhost:8000/v1", "RECALLER_LLM_MODEL": "local"}
	with := func(maps ...map[string]string) map[string]string {
		all := map[string]string{}
		for _, m := range maps {
			for k, v := range m {
				all[k] = v
			}
		}
		return all
	}
	xai, openAI := map[string]string{"XAI_API_KEY": "x"}, map[string]string{"OPENAI_API_KEY": "o"}
	anthropic := map[string]string{"ANTHROPIC_API_KEY": "a"}
	named := func(provider string) map[string]string { return map[string]string{"RECALLER_LLM_PROVIDER": provider} }
	for name, test := range map[string]struct {
		env              map[string]string
		chosen, key, mod string
	}{
		"all three":              {with(llm, xai, openAI), "llm", "", "local"},
		"xAI before OpenAI":      {with(xai, openAI), "xai", "x", "grok-3-fast"},
		"xAI with its model":     {with(xai, map[string]string{"XAI_GROK_MODEL": "grok-9"}), "xai", "x", "grok-9"},
		"OpenAI":                 {openAI, "openai", "o", "gpt-4.1-mini"},
		"OpenAI, another model":  {with(openAI, map[string]string{"RECALLER_LLM_MODEL": "gpt-x"}), "openai", "o", "gpt-x"},
		"Anthropic":              {anthropic, "anthropic", "a", "claude-haiku-4-5"},
		"OpenAI before it":       {with(openAI, anthropic), "openai", "o", "gpt-4.1-mini"},
		"Anthropic by name":      {with(openAI, xai, anthropic, named("anthropic")), "anthropic", "a", "claude-haiku-4-5"},
		"xAI by name":            {with(llm, xai, named("xai")), "xai", "x", "local"},
		"a name without its key": {with(openAI, named("xai")), "", "", ""},
		"none by name":           {with(llm, xai, openAI, anthropic, named("none")), "", "", ""},
	} {
		p, ok := load(t, config.Options{Env: env(test.env)}).Provider()
		if ok != (test.chosen != "") || p.Name != test.chosen || p.APIKey.Reveal() != test.key || p.Model != test.mod {
			t.Errorf("%s: got %s, model %s; want %s, %s", name, p.Name, p.Model, test.chosen, test.mod)
		}
	}
}

func TestValuesAreRead(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"limits-body-bytes", "1048576", "1MiB"},
		{"limits-body-bytes", "1 mib", "1MiB"},
		{"limits-body-bytes", "100KB", "100000"},
		{"recall-cache-bytes", "2GiB", "2GiB"},
		{"voice-session-sync-interval", "45", "45s"},
		{"voice-session-sync-interval", "2m", "2m0s"},
		{"voice-session-enabled", "No", "false"},
		{"log-level", "DEBUG", "debug"},
		{"limits-rate", "0.5", "0.5"},
		{"defaults-retention", "Archive", "archive"},
	} {
		c := load(t, config.Options{Overrides: map[string]string{test.name: test.in}})
		if got := setting(t, c, test.name).Value; got != test.want {
			t.Errorf("%s %q: got %s, want %s", test.name, test.in, got, test.want)
		}
	}
	for name, values := range map[string][]string{
		"limits-body-bytes": {"-1", "1", "9999999999GiB", "MiB", "1.5MiB", "9223372036854775807KiB"},
		"api-key":           {"short", strings.Repeat("k", 31)},
		"proxies":           {"proxy.internal"},
		"tls-cert":          {"cert.pem"},
		"tls-domains":       {"localhost", "https://memory.example.com", "10.0.0.1"},
		"workers":           {"0", "65", "two", "1e1"},
		"briefing-deadline": {"250", "-1s", "0s", "1h"},
		"limits-rate":       {"NaN", "-1", "Inf"},
		"shutdown-grace":    {"99h"},
	} {
		for _, v := range values {
			if _, err := config.Load(config.Options{Overrides: map[string]string{name: v}}); !errors.Is(err, recaller.Invalid) {
				t.Errorf("%s %q: got %v, want invalid", name, v, err)
			}
		}
	}
}

func TestSecretsStaySecret(t *testing.T) {
	const hush = "hush-hush-hush-hush-hush-hush-hush"
	vars := map[string]string{
		"RECALLER_API_KEY": hush, "MEMORY_ENCRYPTION_KEY": key, "MEMORY_ENCRYPTION_KEY_PREVIOUS": key, "RECALLER_LLM_API_KEY": hush,
		"RECALLER_LLM_BASE_URL": "https://models.example/v1", "RECALLER_LLM_MODEL": "m", "XAI_API_KEY": hush, "OPENAI_API_KEY": hush, "ANTHROPIC_API_KEY": hush,
	}
	c := load(t, config.Options{Env: env(vars)})
	if c.APIKey.Reveal() != hush || c.EncryptionKey.Reveal() != key {
		t.Fatal("the secrets were not read")
	}
	var shown bytes.Buffer
	fmt.Fprintf(&shown, "%v %+v %#v %s %q %x %d\n", c, c, c, c.APIKey, c.APIKey, c.APIKey, c.APIKey)
	fmt.Fprintln(&shown, c.Describe(), c.Warnings())
	for _, encode := range []func(any) error{json.NewEncoder(&shown).Encode, toml.NewEncoder(&shown).Encode} {
		if err := encode(c); err != nil {
			t.Fatal(err)
		}
	}
	slog.New(slog.NewTextHandler(&shown, nil)).Info("start", "config", c, "key", c.APIKey)
	slog.New(slog.NewJSONHandler(&shown, nil)).Info("start", "config", c, "key", c.APIKey)
	for _, secret := range []string{hush, key, fmt.Sprintf("%x", hush)} {
		if strings.Contains(shown.String(), secret) {
			t.Error("a secret was shown")
		}
	}
	if n := strings.Count(shown.String(), "[redacted]"); n < 30 {
		t.Errorf("%d secrets were redacted: the test shows too little", n)
	}
}

func TestUnsafeSettingsWarn(t *testing.T) {
	readable := file(t, "api_key = \"0123456789abcdef0123456789abcdef\"")
	if err := os.Chmod(readable, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		env  map[string]string
		file string
		want []string
	}{
		"open address":     {map[string]string{"RECALLER_ADDR": ":8787"}, "", []string{"RECALLER_ADDR"}},
		"by TLS":           {map[string]string{"RECALLER_ADDR": "0.0.0.0:1", "RECALLER_TLS_DOMAINS": "memory.example.com"}, "", nil},
		"behind a proxy":   {map[string]string{"RECALLER_ADDR": "0.0.0.0:1", "RECALLER_PROXIES": "10.0.0.0/8"}, "", nil},
		"open, no limit":   {map[string]string{"RECALLER_ADDR": "0.0.0.0:1", "RECALLER_RATE_LIMIT": "0"}, "", []string{"RECALLER_ADDR", "RECALLER_RATE_LIMIT"}},
		"loopback, all":    {map[string]string{"RECALLER_ADDR": "[::1]:1", "RECALLER_METRICS_ADDR": "localhost:2"}, "", nil},
		"open metrics":     {map[string]string{"RECALLER_METRICS_ADDR": "10.0.0.1:9"}, "", []string{"RECALLER_METRICS_ADDR"}},
		"words leave":      {map[string]string{"OPENAI_API_KEY": "o"}, "", []string{"conversations are sent to https://api.openai.com/v1"}},
		"words in clear":   {map[string]string{"RECALLER_LLM_BASE_URL": "http://models.example/v1", "RECALLER_LLM_MODEL": "m"}, "", []string{"RECALLER_LLM_BASE_URL"}},
		"local model":      {map[string]string{"RECALLER_LLM_BASE_URL": "http://127.0.0.1:1/v1", "RECALLER_LLM_MODEL": "m"}, "", nil},
		"search in clear":  {map[string]string{"RECALLER_EMBEDDING_BASE_URL": "http://models.example/v1"}, "", []string{"RECALLER_EMBEDDING_BASE_URL is plain HTTP: conversations travel to models.example unencrypted"}},
		"Ollama elsewhere": {map[string]string{"RECALLER_EMBEDDING_PROVIDER": "ollama", "RECALLER_EMBEDDING_MODEL": "m", "RECALLER_EMBEDDING_BASE_URL": "http://10.0.0.7:11434"}, "", []string{"RECALLER_EMBEDDING_BASE_URL"}},
		"embedder here":    {map[string]string{"RECALLER_EMBEDDING_PROVIDER": "ollama", "RECALLER_EMBEDDING_MODEL": "m"}, "", nil},
		"embedder in TLS":  {map[string]string{"RECALLER_EMBEDDING_BASE_URL": "https://models.example/v1"}, "", nil},
		"Anthropic alone":  {map[string]string{"ANTHROPIC_API_KEY": "a"}, "", []string{"conversations are sent to anthropic for their write-up, because ANTHROPIC_API_KEY is set"}},
		"chosen by name":   {map[string]string{"ANTHROPIC_API_KEY": "a", "RECALLER_LLM_PROVIDER": "anthropic"}, "", nil},
		"OpenAI by name":   {map[string]string{"OPENAI_API_KEY": "o", "RECALLER_LLM_PROVIDER": "openai"}, "", []string{"conversations are sent to https://api.openai.com/v1 for their embedding as well"}},
		"named, no key":    {map[string]string{"RECALLER_LLM_PROVIDER": "xai"}, "", []string{"RECALLER_LLM_PROVIDER is xai, but its key is not set"}},
		"mistyped":         {map[string]string{"RECALLER_ADRR": "x"}, "", []string{"RECALLER_ADRR is set, but this version has no such setting; did you mean RECALLER_ADDR?"}},
		"not yet":          {map[string]string{"RECALLER_CONSOLE": "x", "PATH": "y"}, "", []string{"RECALLER_CONSOLE is set, but this version has no such setting"}},
		"file for all":     {nil, readable, []string{readable + " holds secrets"}},
		"secret elsewhere": {map[string]string{"RECALLER_API_KEY": "0123456789abcdef0123456789abcdef"}, readable, nil},
	} {
		var names []string
		for n := range test.env {
			names = append(names, n)
		}
		got := load(t, config.Options{File: test.file, Env: env(test.env), EnvNames: names}).Warnings()
		if len(got) != len(test.want) {
			t.Errorf("%s: got %q, want %d", name, got, len(test.want))
			continue
		}
		for i := range got {
			if !strings.HasPrefix(got[i], test.want[i]) {
				t.Errorf("%s: got %q, want it to begin with %q", name, got[i], test.want[i])
			}
		}
	}
}

// The page that documents the settings holds the table of the settings that are. Run with -update to write it.
func TestDocumentationIsTrue(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "configuration.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- settings: written by go test ./internal/config -update -->\n", "<!-- /settings -->"
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", path)
	}
	want := before + begin + config.Markdown() + end + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(page)); diff != "" {
		t.Errorf("docs/configuration.md differs from the settings; run go test ./internal/config -update (-want +got):\n%s", diff)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("addr = \"x\"\n[llm]\nmodel = 3", "workers", "3")
	f.Add("encryption_key_previous = [\"a\", 1]", "limits-body-bytes", "9MiB")
	f.Add("a.b.c = [[1]]\n[[x]]\ny = 1", "log-level", "")
	f.Fuzz(func(t *testing.T, content, name, value string) {
		path := file(t, content)
		c, err := config.Load(config.Options{File: path, Overrides: map[string]string{name: value}})
		if err == nil && c.Validate() != nil {
			t.Error("loaded, but not valid")
		}
		if err != nil && recaller.KindOf(err) != recaller.Invalid {
			t.Errorf("got %v, want invalid", err)
		}
		c.Describe()
		c.Warnings()
	})
}

func TestTheEmbedderIsChosen(t *testing.T) {
	for name, test := range map[string]struct {
		env                  map[string]string
		provider, url, model string
		key                  bool
	}{
		"nothing set":         {nil, "builtin", "", "", false},
		"OpenAI":              {map[string]string{"OPENAI_API_KEY": "o"}, "openai", "https://api.openai.com/v1", "text-embedding-3-small", true},
		"OpenAI, in full":     {map[string]string{"OPENAI_API_KEY": "o", "RECALLER_EMBEDDING_BASE_URL": "https://api.openai.com/v1/"}, "openai", "https://api.openai.com/v1/", "text-embedding-3-small", true},
		"everything by rules": {map[string]string{"OPENAI_API_KEY": "o", "RECALLER_LLM_PROVIDER": "none"}, "builtin", "", "", false},
		"another model first": {map[string]string{"OPENAI_API_KEY": "o", "XAI_API_KEY": "x"}, "builtin", "", "", false},
		"kept here":           {map[string]string{"OPENAI_API_KEY": "o", "RECALLER_EMBEDDING_PROVIDER": "builtin"}, "builtin", "", "", false},
		"an endpoint": {
			map[string]string{"RECALLER_EMBEDDING_BASE_URL": "http://127.0.0.1:1/v1", "RECALLER_EMBEDDING_MODEL": "m", "OPENAI_API_KEY": "o"},
			"openai", "http://127.0.0.1:1/v1", "m", false,
		},
		"Ollama": {map[string]string{"RECALLER_EMBEDDING_PROVIDER": "ollama", "RECALLER_EMBEDDING_MODEL": "m"}, "ollama", "http://127.0.0.1:11434", "m", false},
	} {
		got := load(t, config.Options{Env: env(test.env)}).Embedder()
		if got.Provider != test.provider || got.BaseURL != test.url || got.Model != test.model || got.APIKey.Set() != test.key {
			t.Errorf("%s: got %s at %q, model %q, key %v", name, got.Provider, got.BaseURL, got.Model, got.APIKey.Set())
		}
	}
	for _, wrong := range []map[string]string{
		{"RECALLER_EMBEDDING_PROVIDER": "ollama"},
		{"RECALLER_EMBEDDING_PROVIDER": "openai"},
		{"RECALLER_EMBEDDING_PROVIDER": "builtin", "RECALLER_EMBEDDING_MODEL": "m"},
		{"RECALLER_EMBEDDING_BASE_URL": "models"},
		{"RECALLER_EMBEDDING_BASE_URL": "http://u:p@h"},
	} {
		if _, err := config.Load(config.Options{Env: env(wrong)}); !errors.Is(err, recaller.Invalid) || !strings.Contains(fmt.Sprint(err), "RECALLER_EMBEDDING_") {
			t.Errorf("%v: got %v", wrong, err)
		}
	}
}

func TestTheKeysAreBesideTheDataOrElsewhere(t *testing.T) {
	vars := map[string]string{"RECALLER_DATABASE_URL": "postgres://app@h/data", "RECALLER_OWNER_DATABASE_URL": "postgres://owner@h/data"}
	d := load(t, config.Options{Env: env(vars)}).Databases
	if d.KeyStore() != d.Data || d.KeyStoreOwner() != d.Owner || !d.Postgres() {
		t.Error("with one database the keys are in it")
	}
	vars["RECALLER_KEYS_DATABASE_URL"] = "postgres://app@h/keys"
	d = load(t, config.Options{Env: env(vars)}).Databases
	if d.KeyStore() != d.Keys || d.KeyStoreOwner().Set() {
		t.Error("the owner of another database is not the owner of the keys'")
	}
}
