package storetest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/vault"
)

// Trace is something of a caller that the database can read, as its bytes stand in a file.
type Trace struct {
	Of    string // which column has it
	Bytes []byte
}

// Found counts the traces that are in a text, and all of them, by what they are of. Each is of at least eight bytes.
func Found(raw []byte, traces []Trace) (found, all map[string]int) {
	const digits = 8
	begin := map[[digits]byte][]int{} // which traces begin so; it is looked for but once, and not once a trace
	found, all = map[string]int{}, map[string]int{}
	for i, trace := range traces {
		all[trace.Of]++
		begin[[digits]byte(trace.Bytes)] = append(begin[[digits]byte(trace.Bytes)], i)
	}
	seen := make([]bool, len(traces))
	for at := range len(raw) - digits + 1 {
		for _, i := range begin[[digits]byte(raw[at:])] {
			if !seen[i] && bytes.HasPrefix(raw[at:], traces[i].Bytes) {
				seen[i] = true
				found[traces[i].Of]++
			}
		}
	}
	return found, all
}

// Crowd makes so many callers, each with everything that the database can read: identities, external ids, marks of
// requests, memories, tags, and embeddings and words of a conversation and of a document. All grow together, so that rows move from page to page.
func (d *Data) Crowd(n int) []recaller.Opened {
	d.Helper()
	crowd := make([]recaller.Opened, n)
	d.atOnce(n, func(i int) {
		in := d.Opening(fmt.Sprintf("+1555%07d", i))
		in.Identities = append(in.Identities, recaller.Identity{Kind: recaller.IdentityExternal, Value: fmt.Sprint("crm-", i)})
		in.Conversation.ExternalID = fmt.Sprint("call-", i)
		in.Once = recaller.Once{Token: fmt.Sprint("request-", i), Request: fmt.Sprint("body-", i)}
		o, err := d.OpenConversation(d.ctx, "t", in)
		d.OK(err)
		crowd[i] = o
		d.End(o)
	})
	papers := make([]recaller.Document, n)
	d.atOnce(n, func(i int) { papers[i] = d.paper(crowd[i], i) })
	for round := range 4 { // so that those of one caller do not lie together
		d.atOnce(n, func(i int) {
			_, err := d.StoreMemory(d.ctx, "t", recaller.Storing{
				Memory: d.Memory(crowd[i].Caller.ID, fmt.Sprint("key_", round), "is a gardener"),
			})
			d.OK(err)
			if round%2 == 0 {
				d.indexed(crowd[i], i, round)
				d.indexedPaper(papers[i], i, round)
			}
		})
	}
	return crowd
}

// atOnce runs fn for each number below n, all at once, so that they share commits.
func (d *Data) atOnce(n int, fn func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { fn(i) })
	}
	all.Wait()
}

// indexed makes a conversation findable, again where it was before.
func (d *Data) indexed(o recaller.Opened, i, round int) {
	d.Helper()
	d.OK(d.PutIndexing(d.ctx, "t", recaller.Indexing{
		Conversation: o.Conversation.ID, Caller: o.Caller.ID, At: d.Now,
		Stems:      map[string]int{fmt.Sprint("stem-", i): 1, fmt.Sprint("other-", i): 2, "garden": 1},
		Embeddings: []recaller.Embedding{{Model: "m", Vector: someVector(uint64(i), uint64(round))}},
	}))
}

func someVector(seed, round uint64) []float32 {
	random := rand.New(rand.NewPCG(seed, round))
	vector := make([]float32, 256)
	for at := range vector {
		vector[at] = random.Float32() - 0.5
	}
	return vector
}

// paper is a document of a caller.
func (d *Data) paper(o recaller.Opened, i int) recaller.Document {
	d.Helper()
	out, err := d.FileDocument(d.ctx, "t", recaller.Filing{Document: recaller.Document{
		ID: recaller.DocumentID(d.ID("paper")), Caller: o.Caller.ID, Origin: recaller.DocumentWritten, Title: "Paper",
		Tags: []string{fmt.Sprint("tag-", i)}, CreatedAt: d.Now, UpdatedAt: d.Now,
	}})
	d.OK(err)
	return out.Document
}

// indexedPaper makes a document findable, again where it was before.
func (d *Data) indexedPaper(paper recaller.Document, i, round int) {
	d.Helper()
	d.OK(d.PutDocumentIndexing(d.ctx, "t", recaller.DocumentIndexing{
		Document: paper.ID, Caller: paper.Caller, Version: paper.Version, At: d.Now,
		Stems:      map[string]int{fmt.Sprint("paper-", i): 1, fmt.Sprint("print-", i): 2, "garden": 1},
		Embeddings: []recaller.Embedding{{Model: "m", Vector: someVector(uint64(i)+1e6, uint64(round))}},
	}))
}

// Tokens are the blind tokens of a caller, all but those of words.
func (d *Data) Tokens(o recaller.Opened) (list []Trace) {
	d.Helper()
	err := d.WithTenant(d.ctx, "t", store.Reading, func(tx store.Tx) error {
		for of, query := range map[string]string{
			"identities.token":  `SELECT token FROM identities WHERE tenant_id = $1 AND caller_id = $2`,
			"memories.key":      `SELECT key_token FROM memories WHERE tenant_id = $1 AND caller_id = $2`,
			"conversations.ref": `SELECT external_token FROM conversations WHERE tenant_id = $1 AND caller_id = $2`,
			"onces.token":       `SELECT token FROM onces WHERE tenant_id = $1 AND caller_id = $2`,
			"document_tags":     `SELECT token FROM document_tags WHERE tenant_id = $1 AND caller_id = $2`,
			"onces.request":     `SELECT request FROM onces WHERE tenant_id = $1 AND caller_id = $2`,
		} {
			err := tx.QueryAll(d.ctx, store.Query{
				SQL: query, Args: []any{"t", o.Caller.ID},
				Row: func(scan func(...any) error) error {
					trace := Trace{Of: of}
					err := scan(&trace.Bytes)
					list = append(list, trace)
					return err
				},
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	d.OK(err)
	return list
}

// Erase erases a caller, but for the traces.
func (d *Data) Erase(v *vault.Vault, o recaller.Opened) {
	d.Helper()
	d.OK(d.BeginErasure(d.ctx, "t", o.Caller.ID, recaller.Job{
		ID: d.ID("erase"), Kind: "erase", Subject: string(o.Caller.ID), RunAt: d.Now,
	}))
	_, err := v.Destroy(d.ctx, vault.Scope{Tenant: "t", Caller: o.Caller.ID})
	d.OK(err)
	_, err = d.EraseRows(d.ctx, "t", o.Caller.ID)
	d.OK(err)
}
