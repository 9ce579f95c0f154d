package forgotten

import (
	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/pin"
)

// Document returns a document without what tells of what was forgotten after it was written: see Text. That of a topic is
// told anew from the quotations that stay. said are the turns of its conversation, as far as they are known.
func (v View) Document(d recaller.Document, said []recaller.Turn) recaller.Document {
	if v.Empty() {
		return d
	}
	t, ok := pin.Of(d)
	if !ok || d.Origin != recaller.DocumentPin {
		kept := v.Text(recaller.Text{Conversation: d.Conversation, Title: d.Title, Text: d.Content, At: d.CreatedAt}, said)
		d.Title, d.Content = kept.Title, kept.Text
		return d
	}
	t = t.Without(func(q pin.Quote) bool {
		return v.Hides(q.Conversation, recaller.Turn{Number: q.Turn, Speaker: q.Speaker, Text: q.Text, At: q.At})
	})
	if t.Empty() {
		d.Title, d.Content, d.State = "", "", nil
		return d
	}
	return t.Onto(d, d.UpdatedAt)
}
