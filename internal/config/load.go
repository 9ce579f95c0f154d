package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/recallerhq/recaller"
)

// Options says where settings are looked for. The zero value gives the defaults.
type Options struct {
	// the configuration file, if a flag names one; empty: RECALLER_CONFIG, or none
	File string
	Env  func(name string) (string, bool) // looks a variable up; nil: there are none. os.LookupEnv fits
	// the names of all variables that are set, so that unknown ones can be warned of; optional
	EnvNames  []string
	Overrides map[string]string // values of flags, by Setting.Name; only the flags that were given
}

// maxFile bounds the configuration file.
const maxFile = 1 << 20

// Load reads the settings from all sources and validates them. The error joins all problems, each an Invalid error that
// names the setting and holds no value. An empty environment variable counts as not set.
func Load(opts Options) (Config, error) {
	c := Config{from: map[string]Source{}}
	if opts.Env == nil {
		opts.Env = func(string) (string, bool) { return "", false }
	}
	fromFile, err := c.readFile(opts)
	errs := []error{err}
	overrides := opts.Overrides
	fields := c.fields()
	for _, f := range fields {
		if err := f.value.set(f.preset); err != nil {
			errs = append(errs, problem(f.env, "the default is wrong: %v", err))
		}
		errs = append(errs, c.apply(f, FromFile, "in the file, "+f.key, lookup(fromFile, f.key)))
		env, ok := opts.Env(f.env)
		errs = append(errs, c.apply(f, FromEnvironment, "", optional{strings.TrimSpace(env), ok && strings.TrimSpace(env) != ""}))
		errs = append(errs, c.apply(f, FromFlag, "flag --"+f.name(), lookup(overrides, f.name())))
	}
	errs = append(errs, unknown(fromFile, overrides, fields)...)
	c.noticeEnv(opts.EnvNames, fields)
	c.noticeFile(fields)
	errs = append(errs, c.Validate())
	return c, errors.Join(errs...)
}

type optional struct {
	text string
	ok   bool
}

func lookup(m map[string]string, key string) optional {
	text, ok := m[key]
	return optional{text, ok}
}

// apply sets a field from a source that has a value for it. If the value does not fit, that of the weaker source stays.
func (c *Config) apply(f field, from Source, where string, v optional) error {
	if !v.ok {
		return nil
	}
	if err := f.value.set(v.text); err != nil {
		if where != "" {
			return problem(f.env, "(%s) %v", where, err)
		}
		return problem(f.env, "%v", err)
	}
	c.from[f.name()] = from
	return nil
}

// readFile returns the file's settings by their keys, with the tables' names in front.
func (c *Config) readFile(opts Options) (map[string]string, error) {
	c.file = opts.File
	if opts.File != "" {
		c.from["config"] = FromFlag
	} else if name, ok := opts.Env(configEnv); ok && name != "" {
		c.file = name
		c.from["config"] = FromEnvironment
	}
	if c.file == "" {
		return nil, nil
	}
	info, err := os.Stat(c.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, problem(configEnv, "there is no file %s", c.file)
	}
	if err != nil {
		return nil, recaller.Wrap(recaller.Unavailable, err, "the configuration file cannot be read")
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, problem(configEnv, "%s is not a configuration file", c.file)
	}
	content, err := os.ReadFile(c.file)
	if err != nil {
		return nil, recaller.Wrap(recaller.Unavailable, err, "the configuration file cannot be read")
	}
	return parseFile(string(content))
}

// parseFile reads TOML into texts by dotted keys.
func parseFile(content string) (map[string]string, error) {
	var tree map[string]any
	if _, err := toml.Decode(content, &tree); err != nil {
		// The parser's own message may quote a value, perhaps a secret.
		var at toml.ParseError
		if errors.As(err, &at) {
			return nil, problem(configEnv,
				"line %d is not TOML as expected: key = value, texts in quotes, every key once", at.Position.Line)
		}
		return nil, problem(configEnv, "the file is not TOML")
	}
	flat := map[string]string{}
	return flat, flatten(flat, "", tree)
}

func flatten(flat map[string]string, prefix string, tree map[string]any) error {
	var errs []error
	for key, v := range tree {
		key = prefix + key
		if table, ok := v.(map[string]any); ok {
			errs = append(errs, flatten(flat, key+".", table))
			continue
		}
		s, ok := scalar(v)
		if !ok {
			errs = append(errs, problem(key, "expected a text, a number, true or false, or a list of texts"))
			continue
		}
		flat[key] = s
	}
	return errors.Join(errs...)
}

func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), true
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			s, ok := v[i].(string)
			if !ok {
				return "", false
			}
			parts[i] = s
		}
		return strings.Join(parts, ","), true
	}
	return "", false
}

// unknown finds names that no setting has.
func unknown(fromFile, overrides map[string]string, fields []field) []error {
	var keys, names []string
	for _, f := range fields {
		keys, names = append(keys, f.key), append(names, f.name())
	}
	var errs []error
	for _, key := range sortedKeys(fromFile) {
		if !slices.Contains(keys, key) {
			errs = append(errs, problem(configEnv, "unknown setting %q in the file%s", key, suggest(key, keys)))
		}
	}
	for _, name := range sortedKeys(overrides) {
		if !slices.Contains(names, name) {
			errs = append(errs, problem("--"+name, "unknown setting%s", suggest(name, names)))
		}
	}
	return errs
}

// noticeEnv notes variables that look like ours and are not.
func (c *Config) noticeEnv(set []string, fields []field) {
	known := []string{configEnv}
	for _, f := range fields {
		known = append(known, f.env)
	}
	for _, name := range slices.Sorted(slices.Values(set)) {
		ours := strings.HasPrefix(name, "RECALLER_") || strings.HasPrefix(name, "VOICE_SESSION_") ||
			strings.HasPrefix(name, "MEMORY_ENCRYPTION_")
		if ours && !slices.Contains(known, name) {
			c.notices = append(c.notices, fmt.Sprintf("%s is set, but this version has no such setting%s", name, suggest(name, known)))
		}
	}
}

// noticeFile notes secrets in a file that others may read.
func (c *Config) noticeFile(fields []field) {
	if c.file == "" || runtime.GOOS == "windows" {
		return
	}
	info, err := os.Stat(c.file)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return
	}
	for _, f := range fields {
		if f.value.secret && c.from[f.name()] == FromFile {
			c.notices = append(c.notices, fmt.Sprintf("%s holds secrets and can be read by others: run chmod 600 on "+
				"it", c.file))
			return
		}
	}
}

// problem is an Invalid error about one setting.
func problem(name, format string, args ...any) error {
	return recaller.InvalidField(name, format, args...)
}
