package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	maxDeadline = 30 * time.Second
	maxGrace    = 10 * time.Minute
	maxSync     = 24 * time.Hour
)

// value reads a setting from text and shows it. An error says what was expected, and not what was given, which may be a
// misplaced secret.
type value struct {
	set    func(text string) error
	get    func() string
	secret bool
}

func text(p *string) value {
	return value{
		set: func(s string) error { *p = s; return nil },
		get: func() string { return *p },
	}
}

// object is a JSON object.
func object(p *string) value {
	return value{
		set: func(s string) error {
			var fields map[string]any
			if s != "" && (json.Unmarshal([]byte(s), &fields) != nil || fields == nil) {
				return errors.New("expected a JSON object")
			}
			*p = s
			return nil
		},
		get: func() string { return *p },
	}
}

func secret(p *Secret) value {
	return value{
		secret: true,
		set:    func(s string) error { *p = Secret{s}; return nil },
		get:    func() string { return p.String() },
	}
}

func secrets(p *[]Secret) value {
	return value{
		secret: true,
		set: func(s string) error {
			*p = nil
			for part := range strings.SplitSeq(s, ",") {
				if part = strings.TrimSpace(part); part != "" {
					*p = append(*p, Secret{part})
				}
			}
			return nil
		},
		get: func() string {
			shown := make([]string, len(*p))
			for i, s := range *p {
				shown[i] = s.String()
			}
			return strings.Join(shown, ",")
		},
	}
}

// words is a list with commas between, in lower case.
func words(p *[]string) value {
	return value{
		set: func(s string) error {
			*p = nil
			for part := range strings.SplitSeq(strings.ToLower(s), ",") {
				if part = strings.TrimSpace(part); part != "" {
					*p = append(*p, part)
				}
			}
			return nil
		},
		get: func() string { return strings.Join(*p, ",") },
	}
}

// list is a list with commas between, as it is written.
func list(p *[]string) value {
	return value{
		set: func(s string) error {
			*p = nil
			for part := range strings.SplitSeq(s, ",") {
				if part = strings.TrimSpace(part); part != "" {
					*p = append(*p, part)
				}
			}
			return nil
		},
		get: func() string { return strings.Join(*p, ",") },
	}
}

// ids are whole numbers above 0 with commas between.
func ids(p *[]int64) value {
	return value{
		set: func(s string) error {
			var list []int64
			for part := range strings.SplitSeq(s, ",") {
				if part = strings.TrimSpace(part); part == "" {
					continue
				}
				id, err := strconv.ParseInt(part, 10, 64)
				if err != nil || id < 1 {
					return errors.New("expected ids, which are whole numbers, with commas between")
				}
				list = append(list, id)
			}
			*p = list
			return nil
		},
		get: func() string {
			list := make([]string, len(*p))
			for i, id := range *p {
				list[i] = strconv.FormatInt(id, 10)
			}
			return strings.Join(list, ",")
		},
	}
}

func boolean(p *bool) value {
	return value{
		set: func(s string) error {
			switch strings.ToLower(s) {
			case "true", "yes", "on", "1":
				*p = true
			case "false", "no", "off", "0":
				*p = false
			default:
				return errors.New("expected true or false")
			}
			return nil
		},
		get: func() string { return strconv.FormatBool(*p) },
	}
}

func oneOf[T ~string](p *T, options ...T) value {
	return value{
		set: func(s string) error {
			if !slices.Contains(options, T(strings.ToLower(s))) {
				return fmt.Errorf("expected one of %q", options)
			}
			*p = T(strings.ToLower(s))
			return nil
		},
		get: func() string { return string(*p) },
	}
}

func level(p *slog.Level) value {
	var name string
	v := oneOf(&name, "debug", "info", "warn", "error")
	return value{
		set: func(s string) error {
			if err := v.set(s); err != nil {
				return err
			}
			return p.UnmarshalText([]byte(name))
		},
		get: func() string { return strings.ToLower(p.String()) },
	}
}

func count(p *int, least, most int) value {
	return value{
		set: func(s string) error {
			n, err := strconv.Atoi(s)
			if err != nil || n < least || n > most {
				return fmt.Errorf("expected a whole number from %d to %d", least, most)
			}
			*p = n
			return nil
		},
		get: func() string { return strconv.Itoa(*p) },
	}
}

func number(p *float64, least, most float64) value {
	return value{
		set: func(s string) error {
			n, err := strconv.ParseFloat(s, 64)
			if err != nil || math.IsNaN(n) || n < least || n > most {
				return fmt.Errorf("expected a number from %g to %g", least, most)
			}
			*p = n
			return nil
		},
		get: func() string { return strconv.FormatFloat(*p, 'f', -1, 64) },
	}
}

func span(p *time.Duration, most time.Duration) value {
	return value{
		set: func(s string) error {
			d, err := time.ParseDuration(s)
			if err != nil || d <= 0 || d > most {
				return fmt.Errorf("expected a time with a unit, like 250ms or 15s, of at most %v", most)
			}
			*p = d
			return nil
		},
		get: func() string { return p.String() },
	}
}

// seconds is span, and takes a number without a unit as seconds, as seed V writes it.
func seconds(p *time.Duration) value {
	v := span(p, maxSync)
	withUnit := v.set
	v.set = func(s string) error {
		if _, err := strconv.ParseFloat(s, 64); err == nil {
			s += "s"
		}
		return withUnit(s)
	}
	return v
}

// size is a number of bytes, with a unit or without.
func size(p *int64, least, most int64) value {
	return value{
		set: func(s string) error {
			n, ok := parseSize(s)
			if !ok || n < least || n > most {
				return fmt.Errorf("expected a size like 4MiB or 4194304, from %s to %s", formatSize(least),
					formatSize(most))
			}
			*p = n
			return nil
		},
		get: func() string { return formatSize(*p) },
	}
}

type unit struct {
	name string
	size int64
}

func units() []unit {
	return []unit{
		{"TiB", 1 << 40},
		{"GiB", 1 << 30},
		{"MiB", 1 << 20},
		{"KiB", 1 << 10},
		{"TB", 1e12},
		{"GB", 1e9},
		{"MB", 1e6},
		{"KB", 1e3},
		{"B", 1},
	}
}

func parseSize(s string) (int64, bool) {
	factor := int64(1)
	for _, u := range units() {
		if len(s) > len(u.name) && strings.EqualFold(s[len(s)-len(u.name):], u.name) {
			s, factor = strings.TrimSpace(s[:len(s)-len(u.name)]), u.size
			break
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/factor {
		return 0, false
	}
	return n * factor, true
}

func formatSize(n int64) string {
	for _, u := range units()[:4] {
		if n >= u.size && n%u.size == 0 {
			return strconv.FormatInt(n/u.size, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10)
}
