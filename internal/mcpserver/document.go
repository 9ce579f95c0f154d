package mcpserver

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/search"
	"github.com/recallerhq/recaller/internal/tool"
)

// Documents searches documents; *search.Service does.
type Documents interface {
	SearchDocuments(
		ctx context.Context, tenant recaller.TenantID, q search.DocumentQuery,
	) (search.DocumentResult, error)
}

// FoundDocuments is what search_documents answers.
type FoundDocuments struct {
	Results  []FoundDocument `json:"results" jsonschema:"the documents that fit, best first; empty where none does"`
	Message  string          `json:"message,omitempty" jsonschema:"why nothing was found"`
	Degraded string          `json:"degraded,omitempty" jsonschema:"why less may be found than there is"`
}

// FoundDocument is a document that was found.
type FoundDocument struct {
	ID       string   `json:"id" jsonschema:"the document's id"`
	Title    string   `json:"title" jsonschema:"its title"`
	Snippet  string   `json:"snippet" jsonschema:"the part that fits best"`
	Business bool     `json:"business" jsonschema:"true: the business's own words, such as its prices; false: about this caller"`
	Source   string   `json:"source,omitempty" jsonschema:"where it comes from"`
	Tags     []string `json:"tags,omitempty" jsonschema:"what it is tagged with"`
	At       string   `json:"at" jsonschema:"when it was written (RFC 3339)"`
}

// maxDocuments is how many documents search_documents gives at most, and documents how many if nothing else is asked for.
const (
	maxDocuments = 10
	documents    = 3
)

func (s *server) documentsRow() row {
	return row{
		scope: recaller.ScopeRead, do: s.searchDocuments,
		tool: &mcp.Tool{
			Name: "search_documents", Title: "Search the documents", Description: documentsText,
			InputSchema: json.RawMessage(documentsSchema), OutputSchema: schemaOf[FoundDocuments](),
			Annotations: hints("Search the documents", true, false, true),
		},
	}
}

// searchDocuments searches the business's own documents, and those of the caller who is named, of nobody else.
func (s *server) searchDocuments(ctx context.Context, x *exchange, args tool.Arguments) (any, error) {
	query, err := args.Needed("query")
	if err != nil {
		return nil, err
	}
	n, err := args.Number("limit", maxDocuments)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		n = documents
	}
	f := recaller.DocumentFilter{House: true}
	named, err := args.Text(argPhone)
	if err != nil {
		return nil, err
	}
	if named != "" || x.bound != "" {
		who, ok, err := s.known(ctx, x, args)
		if err != nil {
			return nil, err
		}
		if ok {
			f.Caller = who.ID
		}
	}
	var hidden forgotten.View
	if f.Caller != "" {
		if hidden, err = s.Conversations.Withheld(ctx, x.Tenant, f.Caller, recaller.TrustClaimed); errors.Is(err, recaller.NotFound) {
			f.Caller, err = "", nil // the business's own alone
		}
		if err != nil {
			return nil, err
		}
	}
	found, err := s.Documents.SearchDocuments(ctx, x.Tenant, search.DocumentQuery{Text: query, Filter: f, Limit: n})
	if errors.Is(err, recaller.Invalid) {
		return nil, renamed(err)
	}
	if err != nil {
		return nil, err
	}
	out := FoundDocuments{Results: []FoundDocument{}, Degraded: found.Degraded}
	for _, d := range found.Found {
		if d.Caller != "" {
			if d.Title, d.Snippet = tellable(hidden, d.Document, d.Snippet); d.Snippet == "" {
				continue
			}
		}
		out.Results = append(out.Results, FoundDocument{
			ID: string(d.ID), Title: d.Title, Snippet: d.Snippet, Business: d.Caller == "", Source: d.Source, Tags: d.Tags,
			At: stamp(d.CreatedAt),
		})
	}
	if len(out.Results) == 0 {
		out.Message = "No document fits this"
	}
	return out, nil
}

// renamed gives an error about the text the name that the tool has for it.
func renamed(err error) error {
	var e *recaller.Error
	if errors.As(err, &e) && e.Field == "text" {
		return recaller.InvalidField("query", "%s", e.Msg)
	}
	return err
}

// tellable returns what may be told of a document of a caller's; nothing where nobody knows what it quotes.
func tellable(hidden forgotten.View, d recaller.Document, snippet string) (title, text string) {
	if hidden.Touches(d.Conversation) || d.Origin == recaller.DocumentPin && !hidden.Empty() {
		return "", ""
	}
	told := hidden.Text(recaller.Text{Title: d.Title, Text: snippet, At: d.CreatedAt}, nil)
	return told.Title, told.Text
}
