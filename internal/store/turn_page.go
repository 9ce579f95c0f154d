package store

import (
	"context"

	"github.com/recallerhq/recaller"
)

// Bounds of a page of words. The first is spelled out in the SQL, as those of a snapshot are.
const (
	pageTurns = 128
	pageBytes = 512 << 10 // of text; the turn that goes past it is still there
)

// TurnPage returns the next words of a conversation in order, from a number on and below its count of turns: as many as
// are to be held in memory at once. next is where the page after it begins, or 0 if there is none. Each page is read by
// itself, so nothing is held of the database between two. Turns are only ever added, with numbers from the count on, so
// the pages together are what a conversation had when conv was read. One that is erased meanwhile is NotFound.
func (s *Store) TurnPage(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, from int,
) (turns []recaller.Turn, next int, err error) {
	b, err := s.unseal(ctx, tenant, conv.Caller)
	if err != nil {
		return nil, 0, notFound(err, "there is no such conversation")
	}
	p := turnPage{box: b, conv: conv, there: present{}}
	err = s.ask(ctx, tenant, conv.Caller, p.queries(tenant, from)...)
	switch {
	case err != nil:
		return nil, 0, err
	case len(p.rows) == 0:
		return nil, 0, recaller.Errorf(recaller.NotFound, "there is no such conversation")
	}
	if p.full() && p.last+1 < conv.Turns {
		next = p.last + 1
	}
	return p.turns, next, s.checkPage(ctx, tenant, p, from, next)
}

// turnPage is the reading of a page of words.
type turnPage struct {
	box   box
	conv  recaller.Conversation
	rows  []sealedConversation
	turns []recaller.Turn
	read  int // rows, damaged or not
	last  int // the number of the last of them
	bytes int // of text
	there present
}

func (p *turnPage) full() bool { return p.read == pageTurns || p.bytes >= pageBytes }

func (p *turnPage) queries(tenant recaller.TenantID, from int) []Query {
	take := p.there.counting(p.box.turnRow(func(_ recaller.ConversationID, t recaller.Turn) {
		p.turns, p.bytes = append(p.turns, t), p.bytes+len(t.Text)
	}))
	return []Query{{
		SQL:  `SELECT ` + conversationColumns + ` FROM conversations WHERE tenant_id = $1 AND id = $2` + notErasing,
		Args: []any{tenant, p.conv.ID},
		Row:  conversationRow(&p.rows),
	}, {
		SQL: `SELECT ` + turnColumns + ` FROM turns WHERE tenant_id = $1 AND caller_id = $2
			AND conversation_id = $3 AND number >= $4 AND number < $5` + notErasing + `
			ORDER BY number LIMIT ` + itoa(pageTurns),
		Args: []any{tenant, p.conv.Caller, p.conv.ID, from, p.conv.Turns},
		Row: func(scan func(...any) error) error {
			if p.full() {
				return nil
			}
			p.read++
			return take(func(dest ...any) error {
				err := scan(dest...)
				p.last = *dest[1].(*int)
				return err
			})
		},
	}}
}

// checkPage notes the turns that should be in a page and are not.
func (s *Store) checkPage(ctx context.Context, tenant recaller.TenantID, p turnPage, from, next int) error {
	b := p.box
	if from > 0 { // what is wrong with the conversation was told with the first page
		b.note = func(error, recaller.DamagedRow) {}
	}
	_, h, err := b.openWith(p.rows[0])
	if err != nil {
		return b.leaveOut(err, conversationAt(p.rows[0]))
	}
	if h.broken || h.kept < 0 {
		return nil
	}
	if h.kept == h.turns {
		to := min(p.conv.Turns, h.turns)
		if next > 0 {
			to = next
		}
		p.box.gaps(p.conv.ID, p.there[p.conv.ID], from, to)
		return nil
	}
	if next > 0 {
		return nil
	}
	all := head{kept: -1} // the words of some are kept elsewhere: only their number is known
	err = s.OfCaller(ctx, tenant, p.conv.Caller, func(tx Tx) error {
		return all.recount(ctx, tx, tenant, p.conv.Caller, p.conv.ID)
	})
	if err == nil && all.kept < h.kept {
		p.box.note(nil, conversationAt(p.rows[0]))
	}
	return err
}
