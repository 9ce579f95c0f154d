package store

import (
	"context"

	"github.com/recallerhq/recaller"
)

// maxActs bounds the acts of a caller in a snapshot. The newest are read; what was settled before them is not told any
// more.
const maxActs = 500

// actBody is what is sealed of an act.
type actBody struct {
	Said []recaller.Saying `json:"s"`
	Of   [][2]int64        `json:"o,omitempty"` // from and to
}

// sealedAct is an act as it is written.
type sealedAct struct {
	recaller.Act
	body []byte
}

// sealActs seals the acts that a step found.
func (b box) sealActs(in recaller.StepResult) ([]sealedAct, error) {
	out := make([]sealedAct, len(in.Acts))
	for i, a := range in.Acts {
		body := actBody{Said: a.Said}
		for _, s := range a.Of {
			body.Of = append(body.Of, [2]int64{micros(s.From), micros(s.To)})
		}
		sealed, err := b.put("acts.body", actRecord(in.Conversation, i), body)
		if err != nil {
			return nil, err
		}
		out[i] = sealedAct{a, sealed}
	}
	return out, nil
}

func actRecord(conv recaller.ConversationID, number int) string {
	return string(conv) + "." + itoa(number)
}

// writeActs replaces the acts of a conversation by those that were found with its summary.
func (w stepWrite) writeActs(ctx context.Context, tx Tx) error {
	if w.in.Summary == nil {
		return nil
	}
	_, err := tx.Exec(ctx, `DELETE FROM acts WHERE tenant_id = $1 AND caller_id = $2 AND conversation_id = $3`,
		w.tenant, w.in.Caller, w.in.Conversation)
	if err != nil || len(w.acts) == 0 {
		return err
	}
	rows := make([][]any, len(w.acts))
	for i, a := range w.acts {
		rows[i] = []any{w.tenant, w.in.Conversation, i, w.in.Caller, a.Kind, microsOrNil(a.At), a.Day, micros(a.SaidAt), a.body}
	}
	return tx.ExecAll(ctx, `INSERT INTO acts (tenant_id, conversation_id, number, caller_id, kind, at, day, said_at, body)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, rows)
}

// Acts returns all of a caller's acts, newest first.
func (s *Store) Acts(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) (list []recaller.Act, err error) {
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return nil, notFound(err, "there is no such caller")
	}
	err = s.OfCaller(ctx, tenant, caller, func(tx Tx) error {
		if err := alive(ctx, tx, tenant, caller); err != nil {
			return err
		}
		return tx.QueryAll(ctx, b.actsQuery(tenant, caller, 0, &list))
	})
	return list, err
}

// actsQuery reads a caller's acts into list, newest first: at most so many, or all with 0.
func (b box) actsQuery(tenant recaller.TenantID, caller recaller.CallerID, most int, list *[]recaller.Act) Query {
	limit := ""
	if most > 0 {
		limit = ` LIMIT ` + itoa(most)
	}
	return Query{
		SQL: `SELECT conversation_id, number, kind, at, day, said_at, body FROM acts WHERE tenant_id = $1
			AND caller_id = $2
			ORDER BY said_at DESC, conversation_id DESC, number DESC` + limit,
		Args: []any{tenant, caller},
		Row: func(scan func(...any) error) error {
			var a recaller.Act
			var number int
			var at *int64
			var said int64
			var sealed []byte
			if err := scan(&a.Conversation, &number, &a.Kind, &at, &a.Day, &said, &sealed); err != nil {
				return err
			}
			var body actBody
			record := actRecord(a.Conversation, number)
			if err := b.get("acts.body", record, sealed, &body); err != nil {
				return b.leaveOut(err, recaller.DamagedRow{Table: "acts", ID: record})
			}
			a.At, a.SaidAt, a.Said = fromNull(at), fromMicros(said), body.Said
			for _, o := range body.Of {
				a.Of = append(a.Of, recaller.Stretch{From: fromMicros(o[0]), To: fromMicros(o[1])})
			}
			*list = append(*list, a)
			return nil
		},
	}
}
