package document

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/kind"
)

// Kind is the row of documents in the table of kinds of texts.
func Kind() kind.Kind {
	return kind.Kind{
		Name: recaller.HitDocument, Words: true, Label: "in a document", House: "from the business's documents",
	}
}

// mostRecalled bounds the words of one caller's documents, or of the tenant's own, that recall holds: 8 MiB, the newest.
const mostRecalled = 8 << 20

// Texts returns the passages of a caller's documents, or of the tenant's own, that recall finds: of those that a client
// wrote and that are not archived. What the wrap-up wrote says what summaries say, which recall finds as such.
func (s *Service) Texts(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) (out []recaller.Text, err error) {
	list, err := s.Store.CallerDocuments(ctx, tenant, caller, recaller.DocumentWritten)
	if err != nil {
		return nil, err
	}
	size, from := 0, len(list)
	for from > 0 && size+len(list[from-1].Content) <= mostRecalled {
		from--
		size += len(list[from].Content)
	}
	for _, d := range list[from:] {
		out = append(out, passages(d)...)
	}
	return out, nil
}

// changed returns the passages that a write makes, and without words those that it takes away.
func changed(before *recaller.Document, now recaller.Document) []recaller.Text {
	texts := recalled(now)
	if before == nil {
		return texts
	}
	were := recalled(*before)
	for _, old := range were[min(len(texts), len(were)):] {
		old.Title, old.Text = "", ""
		texts = append(texts, old)
	}
	return texts
}

// recalled returns the passages of a document, if recall finds it.
func recalled(d recaller.Document) []recaller.Text {
	if d.Origin != recaller.DocumentWritten || !d.ArchivedAt.IsZero() {
		return nil
	}
	return passages(d)
}

// passage is about how many bytes of a document are found as one.
const passage = 700

// passages cuts a document into what recall finds of it: paragraphs, short ones together, under their heading. Each has
// the document's title, and the heading that it stands under.
func passages(d recaller.Document) (out []recaller.Text) {
	heading, text := "", ""
	end := func() {
		if text = strings.TrimSpace(text); text != "" {
			title := d.Title
			if heading != "" && heading != title {
				title += ", " + heading
			}
			out = append(out, recaller.Text{
				Kind: recaller.HitDocument, ID: string(d.ID), Part: len(out), Conversation: d.Conversation,
				Title: title, Text: text, At: d.CreatedAt,
			})
		}
		text = ""
	}
	for block := range strings.SplitSeq(d.Content, "\n\n") {
		for line := range strings.SplitSeq(strings.Trim(block, "\n"), "\n") {
			if name, ok := headed(line); ok {
				end()
				heading = name
				continue
			}
			for line != "" {
				piece := cut(line, 2*passage)
				if line = line[len(piece):]; len(text)+len(piece) > 2*passage {
					end()
				}
				text += strings.TrimSpace(piece) + "\n"
			}
		}
		if len(text) >= passage {
			end()
		}
	}
	end()
	return out
}

// headed returns the words of a line that is a heading in Markdown.
func headed(line string) (string, bool) {
	name := strings.TrimLeft(line, "#")
	marks := len(line) - len(name)
	if marks == 0 || marks > 6 || !strings.HasPrefix(name, " ") {
		return "", false
	}
	return strings.TrimSpace(strings.TrimRight(name, "# ")), true
}

// cut returns at most so many bytes of the beginning of a line, up to the end of a sentence or of a word if there is
// one.
func cut(line string, most int) string {
	if len(line) <= most {
		return line
	}
	head := line[:most]
	if i := strings.LastIndex(head, ". "); i > most/2 {
		return line[:i+2]
	}
	if i := strings.LastIndexByte(head, ' '); i > most/2 {
		return line[:i+1]
	}
	for !utf8.RuneStart(line[most]) {
		most--
	}
	return line[:most]
}
