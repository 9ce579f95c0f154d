package store

import (
	"context"
	"time"

	"github.com/recallerhq/recaller"
)

// Thing is what a search finds among all of a tenant's. What the things of each sort are found by is kept in the same
// way, in tables that are named after them.
type Thing string

// The things.
const (
	Conversations Thing = "conversation"
	Documents     Thing = "document"
)

// Things lists them.
func Things() []Thing { return []Thing{Conversations, Documents} }

// Table is the table of the things themselves. Its column id has their ids.
func (t Thing) Table() string { return string(t) + "s" }

// Key is the column that has their ids in other tables.
func (t Thing) Key() string { return string(t) + "_id" }

// Embeddings is the table of their embeddings.
func (t Thing) Embeddings() string { return string(t) + "_embeddings" }

// Words is the table of what their words are found by.
func (t Thing) Words() string { return string(t) + "_words" }

// Index finds conversations and documents among all of a tenant's (P7, V6). Each database has its own, because each has
// its own way with vectors and its own full-text index. Embeddings of different models are never compared.
type Index interface {
	// PutVectors replaces a thing's embeddings by one model.
	PutVectors(ctx context.Context, tx Tx, v Vectors) error
	// PutTokens replaces the tokens of a thing.
	PutTokens(ctx context.Context, tx Tx, t Tokens) error
	// Similar ranks what may be answered by cosine, nearest first; of one with several embeddings the nearest counts.
	Similar(ctx context.Context, read Door, q Nearest) ([]Near, error)
	// Matching ranks what may be answered and has any of the tokens, best first. Documents that match as well come newest
	// first. If all tokens are commonplace, the newest documents come first: of them those that have all tokens.
	Matching(ctx context.Context, read Door, q Matching) ([]Near, error)
	// Similarities returns the cosine of each of the things that has an embedding by the model. Of several embeddings the
	// nearest counts.
	Similarities(ctx context.Context, read Door, q Compared) (map[string]float64, error)
}

// Door runs fn on a snapshot of the tenant's rows. Each call sees a newer snapshot, and holds a connection while fn
// runs.
type Door func(ctx context.Context, fn func(Tx) error) error

// Vectors are the embeddings of a thing to be written, all by one model and of one width: one for each part of it, in
// order.
type Vectors struct {
	Of     Thing
	Tenant recaller.TenantID
	ID     string
	Caller recaller.CallerID    // empty: it is the tenant's own
	Parts  []recaller.Embedding // of length 1; at least one
	At     time.Time
}

// Tokens are the blind tokens of a thing to be written, with how often each stem was said.
type Tokens struct {
	Of        Thing
	Tenant    recaller.TenantID
	ID        string
	Caller    recaller.CallerID // empty: it is the tenant's own
	CreatedAt time.Time         // of a document
	Counts    map[string]int
}

// Near is a thing that one leg of a search came up with.
type Near struct {
	ID    string
	Score float64
}

// Nearest asks for the things whose embeddings are nearest to one.
type Nearest struct {
	Among
	Tenant    recaller.TenantID
	Embedding recaller.Embedding // of length 1
	Limit     int
}

// Matching asks for the things that tokens match best.
type Matching struct {
	Among
	Tenant recaller.TenantID
	Tokens []string // letters and digits; at most maxStems
	Limit  int
}

// Compared asks how near given things are to an embedding.
type Compared struct {
	Of        Thing
	Tenant    recaller.TenantID
	Embedding recaller.Embedding // of length 1
	IDs       []string
}

// Among says what a search may answer: all of the tenant's that can be found, or what a filter leaves of it.
type Among struct {
	Of     Thing
	Narrow bool // a filter leaves some out
	Few    bool // it leaves what is one caller's, or the tenant's own
	// By names the index that leaves least to be read of what the filter leaves; empty: the database is to choose. It is
	// for engines that must be told.
	By string
	// Tags are the tokens of the tags that documents must have. Unless they are one caller's, the first leads to what the
	// filter leaves; Led has another do so.
	Tags [][]byte

	condition, leading, reach func(q *where)
}

// Condition returns the condition that a search may answer row c of the table of things. The tenant is $1. The arguments
// of the condition are appended to args.
func (a Among) Condition(args *[]any) string { return spelled(a.condition, args) }

func spelled(condition func(q *where), args *[]any) string {
	q := where{args: *args}
	condition(&q)
	*args = q.args
	return q.String()
}

// Reach returns the condition on rows c that have to be read to come to what the filter leaves, which an index alone tells;
// false if there is none but the tenant.
func (a Among) Reach(args *[]any) (string, bool) {
	if a.reach == nil {
		return "", false
	}
	return spelled(a.reach, args), true
}

// Leading returns what, beside the condition, leads to the rows c that the filter leaves: it is true of them all, and
// makes By of use.
func (a Among) Leading(args *[]any) string {
	if a.leading == nil {
		return ""
	}
	return spelled(a.leading, args)
}

// notErasingC leaves out rows c of callers who are being erased. The tenant is $1.
const notErasingC = `NOT EXISTS (SELECT 1 FROM callers k WHERE k.tenant_id = $1 AND k.id = c.caller_id
		AND k.erasing)`

// AmongConversations are the conversations that may be answered: those that have ended, whose callers are not being
// erased, and that the filter lets through.
func AmongConversations(f recaller.SearchFilter) Among {
	a := Among{Of: Conversations, Narrow: f != (recaller.SearchFilter{}), Few: f.Caller != "", By: "conversations_labels"}
	switch {
	case a.Few:
		a.By, a.reach = "conversations_caller", func(q *where) { q.eq(`c.caller_id`, string(f.Caller)) }
	case f.Intent != "":
		a.reach = func(q *where) {
			q.and(`c.status <> 'active'`)
			q.eq(`c.intent`, f.Intent)
		}
	case !f.After.IsZero():
		a.By, a.reach = "conversations_started", func(q *where) { q.and("c.started_at >= " + q.param(micros(f.After))) }
	}
	a.condition = func(q *where) {
		q.and(`c.status <> 'active' AND ` + notErasingC)
		for _, c := range []struct{ column, value string }{
			{"c.caller_id", string(f.Caller)},
			{"c.channel", string(f.Channel)},
			{"c.intent", f.Intent},
			{"c.sentiment", f.Sentiment},
			{"c.outcome", f.Outcome},
		} {
			if c.value != "" {
				q.eq(c.column, c.value)
			}
		}
		if !f.After.IsZero() {
			q.and("c.started_at >= " + q.param(micros(f.After)))
		}
		if !f.Before.IsZero() {
			q.and("c.started_at < " + q.param(micros(f.Before)))
		}
	}
	return a
}

// byID is SQLite's own index of documents.
const byID = "sqlite_autoindex_documents_1"

// Led has a tag lead to what the filter leaves.
func (a Among) Led(tag int) Among {
	a.By = byID
	a.leading = func(q *where) {
		q.and(`c.id IN (SELECT g.document_id FROM document_tags g WHERE g.tenant_id = $1 AND g.token = ` + q.param(a.Tags[tag]) + `)`)
	}
	return a
}

// AmongDocuments are the documents that may be answered: those whose callers are not being erased, and that the filter
// lets through. Its tags are given as tokens.
func AmongDocuments(f recaller.DocumentFilter, tags [][]byte) Among {
	a := Among{Of: Documents, Few: f.Caller != "" || f.House, Tags: tags}
	a.Narrow = a.Few || f.Origin != "" || len(tags) > 0 || f.Pinned || f.Delivery != "" || !f.Archived
	a.condition = func(q *where) {
		q.and(notErasingC)
		filing(q, "c", f, tags)
	}
	young := !f.Archived && !f.Aged.IsZero() // those of conversations; of old ones there are many
	switch {
	case a.Few:
		a.By, a.reach = "documents_caller", func(q *where) { q.eq(`c.caller_id`, string(f.Caller)) }
	case len(tags) > 0:
		a = a.Led(0)
	case f.Pinned:
		a.By, a.reach = "documents_pinned", func(q *where) { q.and(`c.pinned`) }
	case f.Origin == "" && young:
		a.By, a.reach = byID, func(q *where) { notOld(q, "c", f) }
		a.leading = func(q *where) {
			const from = `SELECT f.id FROM documents f WHERE f.tenant_id = $1 AND f.version > 0 AND f.origin `
			q.and(`c.id IN (` + from + `< 'session' UNION ALL ` + from + `> 'session' UNION ALL ` + from + `= 'session'
				AND f.created_at >= ` + q.param(micros(f.Aged)) + `)`)
		}
	default:
		a.By = "documents_found"
		if f.Origin != "" {
			a.reach = func(q *where) { q.eq(`c.origin`, string(f.Origin)) }
		}
		a.leading = func(q *where) {
			q.and(`c.version > 0`) // as this index has it
			if f.Origin == recaller.DocumentSession && young {
				q.and(`c.created_at >= ` + q.param(micros(f.Aged)))
			}
		}
	}
	return a
}
