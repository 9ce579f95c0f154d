package search

import (
	"context"
	"errors"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/search/stems"
)

// This file makes documents findable among all of a tenant's (V6). Their words are indexed in the commit that follows
// the write, their vectors by a job.

// Documents gives documents without what their callers had forgotten; *document.Service has it.
type Documents interface {
	Get(ctx context.Context, tenant recaller.TenantID, id recaller.DocumentID) (recaller.Document, error)
	Told(
		ctx context.Context, tenant recaller.TenantID, list []recaller.Document,
	) ([]recaller.Document, error)
	Aged(
		ctx context.Context, tenant recaller.TenantID, f recaller.DocumentFilter,
	) (recaller.DocumentFilter, error)
}

// IndexDocument does a job of kind recaller.JobDocument: it makes a document findable, by words first and then by
// meaning. An error means that the job must run again; the words then find it meanwhile.
func (s *Service) IndexDocument(ctx context.Context, j recaller.Job) error {
	d, err := s.Documents.Get(ctx, j.Tenant, recaller.DocumentOf(j.Subject))
	if recaller.IsGone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := s.IndexWords(ctx, j.Tenant, d); err != nil {
		return err
	}
	list, err := s.vectors(ctx, stretches(d), indexPatience)
	s.Metrics.embedded(err)
	if err != nil {
		return err
	}
	return s.Store.PutDocumentIndexing(ctx, j.Tenant, recaller.DocumentIndexing{
		Document: d.ID, Caller: d.Caller, Version: d.Version, Embeddings: list, Only: true, At: s.Now(),
	})
}

// IndexWords makes a document findable by its words. It must have no words that its caller had forgotten.
func (s *Service) IndexWords(ctx context.Context, tenant recaller.TenantID, d recaller.Document) error {
	return s.Store.PutDocumentIndexing(ctx, tenant, recaller.DocumentIndexing{
		Document: d.ID, Caller: d.Caller, Version: d.Version, At: s.Now(),
		Stems: stems.Count(d.Title, d.Content, called(d)),
	})
}

// About how many characters of a document one vector tells of, and how many vectors it has at most.
const (
	perVector  = 2000
	mostOfText = 16
)

// stretches cuts a document into stretches of about the same length, at the ends of lines.
func stretches(d recaller.Document) (out []part) {
	lines := strings.Split(d.Content, "\n")
	most := max(perVector, len(d.Content)/mostOfText+1)
	var text []string
	size := 0
	end := func() {
		written := append([]string{d.Title}, text...)
		out = append(out, part{text: first(strings.Join(written, "\n"), 2*perVector), written: told(written)})
		text, size = nil, 0
	}
	for _, line := range lines {
		if size > 0 && size+len(line) > most && len(out) < mostOfText-1 {
			end()
		}
		text, size = append(text, line), size+len(line)
	}
	end()
	return out
}

// mostLines is how many lines of a stretch the model of dialogues reads.
const mostLines = 12

// told returns the lines that say something, or some of very many.
func told(lines []string) []string {
	var out []string
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	if len(out) <= mostLines {
		return out
	}
	some := make([]string, mostLines)
	for i := range some {
		some[i] = out[i*len(out)/mostLines]
	}
	return some
}

// documentsAgain indexes all documents of a caller anew, without what he had forgotten.
func (s *Service) documentsAgain(ctx context.Context, j recaller.Job) error {
	f := recaller.DocumentFilter{Caller: j.Caller, Archived: true, Page: recaller.Page{Limit: pageSize}}
	for {
		list, next, err := s.Store.Documents(ctx, j.Tenant, f)
		if err != nil {
			return err
		}
		for _, d := range list {
			j.Subject = string(d.ID)
			if err := s.IndexDocument(ctx, j); err != nil {
				return err
			}
		}
		if next == "" {
			return nil
		}
		f.Page.Cursor = next
	}
}

// RetryDocuments makes missing embeddings of documents in all tenants: those that were given up, and those by another
// model. Call it once a night. It ends when the embedder fails several times in a row, and after PerNight documents; what
// it does not reach, the next night does. embedded counts what it made.
func (s *Service) RetryDocuments(ctx context.Context) (embedded int, err error) {
	tenants, err := s.Store.TenantIDs(ctx)
	if err != nil {
		return 0, err
	}
	inARow, looked := 0, 0
	for _, tenant := range tenants {
		for after := recaller.DocumentID(""); ; {
			list, more, failed := s.Store.UnembeddedDocuments(ctx, tenant, s.model(), after, pageSize)
			if failed != nil { // those of the other tenants may be read
				err = errors.Join(err, failed)
				break
			}
			for _, d := range list {
				if looked++; looked > PerNight || inARow == awayAfter {
					return embedded, err
				}
				job := recaller.Job{Tenant: tenant, Subject: string(d.ID), Caller: d.Caller}
				if failed := s.IndexDocument(ctx, job); failed != nil {
					inARow++
					continue
				}
				embedded, inARow = embedded+1, 0
			}
			if after = more; more == "" {
				break
			}
		}
	}
	return embedded, err
}
