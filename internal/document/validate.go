package document

import (
	"strings"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/guard"
)

// Bounds of a document, in bytes.
const (
	MaxTitle   = 500
	MaxContent = 256 << 10
	MaxSource  = 100
	MaxTag     = 100
	MaxTags    = 32 // tags of one document
)

// validate returns the tags without spaces around them, each once.
func (in Input) validate() ([]string, error) {
	for _, t := range []struct {
		field, text string
		most        int
		must        bool
	}{
		{"title", in.Title, MaxTitle, true},
		{"content", in.Content, MaxContent, true},
		{"source", in.Source, MaxSource, false},
	} {
		switch {
		case t.must && strings.TrimSpace(t.text) == "":
			return nil, recaller.InvalidField(t.field, "is required")
		case len(t.text) > t.most:
			return nil, recaller.InvalidField(t.field, "must be at most %d bytes", t.most)
		case !utf8.ValidString(t.text):
			return nil, recaller.InvalidField(t.field, "must be valid UTF-8")
		}
	}
	if err := checkTags(in.Tags); err != nil {
		return nil, err
	}
	var tags []string
	known := map[string]bool{}
	for _, tag := range in.Tags {
		tag = guard.Tidy(tag)
		if key := strings.ToLower(tag); tag != "" && !known[key] {
			known[key] = true
			tags = append(tags, tag)
		}
	}
	return tags, nil
}

func checkTags(tags []string) error {
	if len(tags) > MaxTags {
		return recaller.InvalidField("tags", "must be at most %d", MaxTags)
	}
	for _, tag := range tags {
		switch {
		case len(tag) > MaxTag:
			return recaller.InvalidField("tags", "must be of at most %d bytes each", MaxTag)
		case !utf8.ValidString(tag):
			return recaller.InvalidField("tags", "must be valid UTF-8")
		}
	}
	return nil
}
