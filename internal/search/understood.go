package search

import (
	"context"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/search/asked"
	"github.com/recallerhq/recaller/internal/search/rank"
)

// Understood is a description that was read from the query's words: "frustrated customers" are those of a negative
// mood.
type Understood struct {
	asked.Description
	Applied bool // it was a filter; false: nothing fitted it, and it only lifts what fits
}

// understand reads what a query describes, but for the fields that the request sets itself.
func (s *Service) understand(ctx context.Context, tenant recaller.TenantID, q Query) ([]Understood, error) {
	t, err := s.Tenants.Tenant(ctx, tenant)
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(t.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	var out []Understood
	for _, d := range asked.Read(q.Text, s.Now().In(zone)) {
		if !says(q.Filter, d.Field) {
			out = append(out, Understood{Description: d, Applied: true})
		}
	}
	return out, nil
}

// says reports whether a filter already has a field.
func says(f recaller.SearchFilter, field asked.Field) bool {
	switch field {
	case asked.Sentiment:
		return f.Sentiment != ""
	case asked.Outcome:
		return f.Outcome != ""
	case asked.Channel:
		return f.Channel != ""
	default:
		return !f.After.IsZero() || !f.Before.IsZero()
	}
}

// narrowed is the filter with what was understood.
func narrowed(f recaller.SearchFilter, all []Understood) recaller.SearchFilter {
	for _, u := range all {
		switch u.Field {
		case asked.Sentiment:
			f.Sentiment = u.Value
		case asked.Outcome:
			f.Outcome = u.Value
		case asked.Channel:
			f.Channel = recaller.Channel(u.Value)
		case asked.Time:
			f.After, f.Before = u.From, u.Until
		}
	}
	return f
}

// fits reports whether a conversation fits a description.
func (u Understood) fits(c recaller.Conversation) bool {
	switch u.Field {
	case asked.Sentiment:
		return c.Analysis != nil && c.Analysis.Sentiment == u.Value
	case asked.Outcome:
		return c.Analysis != nil && c.Analysis.Outcome == u.Value
	case asked.Channel:
		return string(c.Channel) == u.Value
	default:
		return !c.StartedAt.Before(u.From) && (u.Until.IsZero() || c.StartedAt.Before(u.Until))
	}
}

// covering returns a function that reports whether a byte of the query is part of a description.
func covering(all []Understood) func(at int) bool {
	return func(at int) bool {
		for _, u := range all {
			if u.Covers(at) {
				return true
			}
		}
		return false
	}
}

// describesOnly reports whether a query says nothing but what it describes.
func describesOnly(text string, all []Understood) bool {
	return rank.OnlyFrame(text, covering(all))
}
