package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
)

// OpenConversation finds or creates a caller and opens a conversation, in one commit.
func (s *Store) OpenConversation(
	ctx context.Context, tenant recaller.TenantID, in recaller.Opening,
) (recaller.Opened, error) {
	return s.openOrImport(ctx, tenant, recaller.Importing{Opening: in}, false)
}

// ImportConversation stores a past conversation with its caller, its words and its place in the statistics, in one
// commit. One whose external id is there already is left as it is.
func (s *Store) ImportConversation(
	ctx context.Context, tenant recaller.TenantID, in recaller.Importing,
) (recaller.Opened, error) {
	out, err := s.openOrImport(ctx, tenant, in, true)
	if err == nil && !out.Existing {
		s.imported(ctx, len(in.Turns)+1)
	}
	return out, err
}

// errRaced says that another write changed the caller between looking and writing: look again.
var errRaced = errors.New("the caller changed meanwhile")

// raced turns a Conflict into errRaced: another opening wrote the same row meanwhile, so it is found when looked for
// again.
func raced(err error) error {
	if recaller.KindOf(err) == recaller.Conflict {
		return errRaced
	}
	return err
}

// maxRaces bounds how often a write looks again. Whoever loses a race loses it to another write, so to lose many is
// rare.
const maxRaces = 8

func (s *Store) openOrImport(
	ctx context.Context, tenant recaller.TenantID, in recaller.Importing, past bool,
) (recaller.Opened, error) {
	var out recaller.Opened
	for race := range maxRaces {
		w, err := s.prepareOpening(ctx, tenant, in, past, race > 0)
		if errors.Is(err, errRaced) {
			continue
		}
		if err != nil {
			return recaller.Opened{}, err
		}
		err = s.WithCaller(ctx, tenant, w.caller, func(tx Tx) error {
			out, err = w.run(ctx, tx)
			return err
		})
		if c := out.Conversation; err == nil && !out.Existing && c.Status == recaller.Active {
			s.heads.put(headKey{tenant, c.ID}, head{at: micros(c.LastActivityAt)})
		}
		if err == nil {
			w.news.committed()
		}
		if !errors.Is(err, errRaced) {
			return out, err
		}
	}
	return recaller.Opened{}, recaller.Errorf(recaller.Unavailable, "the caller could not be read: it keeps changing")
}

// opening is an Opening with everything sealed that can be before the transaction.
type opening struct {
	tenant recaller.TenantID
	in     recaller.Opening
	past   bool
	turns  []recaller.Turn
	rows   []turnRow
	steps  []recaller.PlannedStep
	job    *recaller.Job

	box           box
	caller        recaller.CallerID // who it is with, as far as could be seen
	by            int               // which of his identities he was found by, counted from 1; 0: by none
	isNew         bool
	again         bool     // an earlier try, or request, may have opened it
	numbered      bool     // a known caller got another phone number
	tokens        [][]byte // of the identities, in order
	values        [][]byte // the identities, sealed
	externalToken []byte
	body          []byte
	callerBody    []byte
	register      []byte // of a new caller
	once          once
	news          *news
}

func (s *Store) prepareOpening(
	ctx context.Context, tenant recaller.TenantID, in recaller.Importing, past, raced bool,
) (*opening, error) {
	w := &opening{
		tenant: tenant, in: in.Opening, past: past, turns: slices.Clone(in.Turns), steps: in.Steps, job: in.Job,
	}
	number(w.turns, 0, nil)
	if c := &w.in.Conversation; !c.Trust.Valid() {
		c.Trust = recaller.TrustAtStart(len(w.in.Identities) > 0, false, c.Attestation)
	}
	blind, err := s.blinder(ctx, tenant)
	if err != nil {
		return nil, err
	}
	if w.news, err = s.news(ctx, tenant); err != nil {
		return nil, err
	}
	w.blindIdentities(blind)
	if ext := w.in.Conversation.ExternalID; ext != "" {
		w.externalToken = blind.Blind(blindExternal, ext)
	}
	w.once = newOnce(blind, tenant, w.in.Once)
	w.again = past || raced || w.once.token != nil || w.externalToken != nil || len(w.tokens) == 0
	if err := w.look(ctx, s, raced); err != nil {
		return nil, err
	}
	open := s.unseal
	if w.caller == "" {
		w.caller, w.isNew, open = w.in.NewCaller, true, s.seal
	}
	if w.box, err = open(ctx, tenant, w.caller); err == nil {
		err = w.sealAll(!in.CountOnly)
	}
	if recaller.KindOf(err) == recaller.NotFound { // his key is destroyed, before or meanwhile
		return nil, cmp.Or(s.eraseAgain(ctx, tenant, w.caller, in.Opening.Conversation.StartedAt), errRaced)
	}
	return w, err
}

// eraseAgain begins the erasure of a caller whose key is destroyed. Either he was erased since he was found, or a
// backup from before his erasure brought him back.
func (s *Store) eraseAgain(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, at time.Time,
) error {
	err := s.BeginErasure(ctx, tenant, caller, recaller.Job{
		ID: "again " + string(caller), Kind: "erase", Subject: string(caller), RunAt: at,
	})
	if recaller.KindOf(err) == recaller.NotFound {
		return nil
	}
	return err
}

func (w *opening) sealAll(words bool) (err error) {
	c := w.in.Conversation
	c.Caller, c.Turns = w.caller, len(w.turns)
	h := head{turns: c.Turns, users: userTurns(w.turns)}
	if words {
		h.kept = c.Turns
	}
	if w.body, err = w.box.sealConversation(c, h); err != nil {
		return err
	}
	if err := w.sealCaller(); err != nil || !words {
		return err
	}
	w.rows, err = w.box.sealTurns(c.ID, w.turns)
	return err
}

// sealCaller seals the identities, but for the one that is there, and what is written of a new caller.
func (w *opening) sealCaller() (err error) {
	w.values = make([][]byte, len(w.in.Identities))
	for i, id := range w.in.Identities {
		if i == w.by-1 {
			continue
		}
		if w.values[i], err = w.box.put("identities.value", identityRecord(w.tokens[i], false), id.Value); err != nil {
			return err
		}
	}
	if !w.isNew {
		return nil
	}
	body := callerBody{Name: w.in.Name}
	if body.Name != "" {
		body.NameSource = w.in.NameSource
	}
	if w.register, err = w.box.sealRegister(w.caller, nil, false); err != nil {
		return err
	}
	w.callerBody, err = w.box.put("callers.body", string(w.caller), body)
	return err
}

// look finds the caller before the write, so that what is written can be sealed with his key.
func (w *opening) look(ctx context.Context, s *Store, raced bool) (err error) {
	if !raced && len(w.tokens) > 0 {
		return s.ask(ctx, w.tenant, "", w.identityQueries()...)
	}
	return s.WithTenant(ctx, w.tenant, Reading, func(tx Tx) error {
		if w.caller, w.by, err = w.find(ctx, tx); err == nil && raced {
			err = w.elsewhere(ctx, tx)
		}
		return err
	})
}

// identityQueries asks for the caller of each identity. The first one that has a caller counts.
func (w *opening) identityQueries() []Query {
	list := make([]Query, len(w.in.Identities))
	for i, id := range w.in.Identities {
		list[i] = Query{
			SQL: identityQuery, Args: []any{w.tenant, id.Kind, w.tokens[i]}, Brief: true,
			Row: func(scan func(...any) error) error {
				if w.caller != "" {
					return nil
				}
				w.by = i + 1
				return scan(&w.caller)
			},
		}
	}
	return list
}

// find returns the caller that the identities belong to, or none, and which of them told (see opening.by). Without
// identities only the conversation itself leads to a caller, if it was opened before.
func (w *opening) find(ctx context.Context, tx Tx) (caller recaller.CallerID, by int, err error) {
	if len(w.in.Identities) == 0 {
		_, row, err := w.opened(ctx, tx)
		if recaller.KindOf(err) == recaller.NotFound {
			return "", 0, nil
		}
		return row.Caller, 0, err
	}
	for i, id := range w.in.Identities {
		err := tx.QueryRow(ctx, identityQuery, []any{w.tenant, id.Kind, w.tokens[i]}, &caller)
		if recaller.KindOf(err) == recaller.NotFound {
			continue
		}
		return caller, i + 1, err
	}
	return "", 0, nil
}

// with reads the caller of the conversation. It fails with Unproven if the identity that led to him does not open for him.
func (w *opening) with(ctx context.Context, tx Tx) (recaller.Caller, error) {
	c, err := w.box.readCaller(ctx, tx, w.tenant, w.caller)
	if err != nil {
		return c, err
	}
	return c, w.proven(c)
}

// proven fails with Unproven if the identity that led to the caller does not open for him.
func (w *opening) proven(c recaller.Caller) error {
	if w.by == 0 {
		return nil
	}
	return proven(c, w.in.Identities[w.by-1])
}

func (w *opening) run(ctx context.Context, tx Tx) (out recaller.Opened, err error) {
	caller, by, err := w.find(ctx, tx)
	if err != nil {
		return out, err
	}
	if (caller == "") != w.isNew || caller != "" && (caller != w.caller || by != w.by) {
		return out, errRaced
	}
	if w.again { // if not, its own id is a new one: that it is there already is seen when it is written
		if out, found, err := w.existing(ctx, tx); found || err != nil {
			return out, err
		}
	}
	if err := w.writeCaller(ctx, tx); err != nil {
		return out, err
	}
	if out, err = w.writeConversation(ctx, tx); err != nil {
		return out, raced(err)
	}
	if err := w.once.mark(ctx, tx, w.caller, out.Conversation.ID, out.Conversation.LastActivityAt); err != nil {
		return out, raced(err)
	}
	if w.isNew {
		if err := w.news.began(ctx, tx, out.Caller); err != nil {
			return out, err
		}
	}
	return out, w.proven(out.Caller)
}

var errOthers = recaller.InvalidField("external_id", "belongs to a conversation with another caller")

var errEnded = recaller.Errorf(recaller.Conflict, "a conversation with this external_id has ended already")

// existing finds the conversation that an earlier try, a repeated request, or a platform that sent its webhook twice,
// already opened.
func (w *opening) existing(ctx context.Context, tx Tx) (out recaller.Opened, found bool, err error) {
	ref, row, err := w.opened(ctx, tx)
	if recaller.KindOf(err) == recaller.NotFound {
		return out, false, nil
	}
	if err != nil {
		return out, false, err
	}
	if row.Caller != w.caller {
		if row.ID == ref { // the caller was created by the earlier try
			return out, false, errRaced
		}
		return out, false, cmp.Or(w.meanwhile(ctx, tx), errOthers)
	}
	if row.ID != ref && !w.past && row.Status != recaller.Active {
		if w.in.Resume {
			out, err = w.resume(ctx, tx, row)
			return out, true, err
		}
		return out, false, errEnded
	}
	out.Existing = true
	if out.Conversation, err = w.box.open(row); err != nil {
		return out, true, err
	}
	out.Caller, err = w.with(ctx, tx)
	return out, true, err
}

// elsewhere fails where the conversation, or the request, is another caller's already. The write does not see that: it
// reaches its own caller's rows, and only finds that something is there already.
func (w *opening) elsewhere(ctx context.Context, tx Tx) error {
	ref, row, err := w.opened(ctx, tx)
	if recaller.KindOf(err) == recaller.NotFound || err == nil && (row.Caller == w.caller || row.ID == ref) {
		return nil
	}
	return cmp.Or(err, errOthers)
}

// opened finds the conversation that was opened before: under the id that a repeated request left, which it returns as
// ref, or by the external id.
func (w *opening) opened(ctx context.Context, tx Tx) (ref recaller.ConversationID, row sealedConversation, err error) {
	ref = w.in.Conversation.ID
	if _, err := w.once.before(ctx, tx, &ref); err != nil { // a repeat makes ref the first one's
		return ref, row, err
	}
	row, err = findConversation(ctx, tx, w.tenant, string(ref), w.externalToken)
	return ref, row, err
}

// meanwhile fails with errRaced where another opening has made a caller of the identities since they were looked up.
func (w *opening) meanwhile(ctx context.Context, tx Tx) error {
	caller, _, err := w.find(ctx, tx)
	if err == nil && caller != "" && w.isNew {
		return errRaced
	}
	return err
}

func userTurns(turns []recaller.Turn) (n int) {
	for _, t := range turns {
		if t.Speaker == recaller.User {
			n++
		}
	}
	return n
}

// lastSeen returns when the last of the turns was said, or at if there are none.
func lastSeen(turns []recaller.Turn, at time.Time) time.Time {
	if len(turns) == 0 {
		return at
	}
	return turns[len(turns)-1].At
}
