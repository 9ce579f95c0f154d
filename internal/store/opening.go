package store

import (
	"bytes"
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
	by            recaller.Identity // by which he was found; zero: by none
	isNew         bool
	numbered      bool     // a known caller got another phone number
	tokens        [][]byte // of the identities, in order
	values        [][]byte // the identities, sealed
	externalToken []byte
	body          []byte
	callerBody    []byte
	register      []byte // of a new caller
	once          once
}

func (s *Store) prepareOpening(
	ctx context.Context, tenant recaller.TenantID, in recaller.Importing, past, raced bool,
) (*opening, error) {
	w := &opening{
		tenant: tenant, in: in.Opening, past: past, turns: slices.Clone(in.Turns), steps: in.Steps, job: in.Job,
	}
	number(w.turns, 0, nil)
	blind, err := s.blinder(ctx, tenant)
	if err != nil {
		return nil, err
	}
	w.blindIdentities(blind)
	if ext := w.in.Conversation.ExternalID; ext != "" {
		w.externalToken = blind.Blind(blindExternal, ext)
	}
	w.once = newOnce(blind, tenant, w.in.Once)
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		if w.caller, err = w.find(ctx, tx); err == nil && raced {
			err = w.elsewhere(ctx, tx)
		}
		return err
	})
	if err != nil {
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

// sealCaller seals the identities, and what is written of a new caller.
func (w *opening) sealCaller() (err error) {
	for i, id := range w.in.Identities {
		v, err := w.box.put("identities.value", tokenRecord(w.tokens[i]), id.Value)
		if err != nil {
			return err
		}
		w.values = append(w.values, v)
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

// find returns the caller that the identities belong to, or none. Without identities only the conversation itself leads
// to a caller, if it was opened before.
func (w *opening) find(ctx context.Context, tx Tx) (recaller.CallerID, error) {
	if len(w.in.Identities) == 0 {
		_, row, err := w.opened(ctx, tx)
		if recaller.KindOf(err) == recaller.NotFound {
			return "", nil
		}
		return row.Caller, err
	}
	for i, id := range w.in.Identities {
		var caller recaller.CallerID
		err := tx.QueryRow(ctx, identityQuery, []any{w.tenant, id.Kind, w.tokens[i]}, &caller)
		if recaller.KindOf(err) == recaller.NotFound {
			continue
		}
		w.by = id
		return caller, err
	}
	return "", nil
}

// with reads the caller of the conversation. It fails with Unproven if the identity that led to him does not open for him.
func (w *opening) with(ctx context.Context, tx Tx) (recaller.Caller, error) {
	c, err := w.box.readCaller(ctx, tx, w.tenant, w.caller)
	if err != nil || w.by == (recaller.Identity{}) {
		return c, err
	}
	return c, proven(c, w.by)
}

func (w *opening) run(ctx context.Context, tx Tx) (recaller.Opened, error) {
	caller, err := w.find(ctx, tx)
	if err != nil {
		return recaller.Opened{}, err
	}
	if (caller == "") != w.isNew || (caller != "" && caller != w.caller) {
		return recaller.Opened{}, errRaced
	}
	if out, found, err := w.existing(ctx, tx); found || err != nil {
		return out, err
	}
	var out recaller.Opened
	if err := w.writeCaller(ctx, tx); err != nil {
		return out, err
	}
	var held int
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM (SELECT 1 FROM conversations WHERE tenant_id = $1
		AND caller_id = $2 LIMIT 1) h`,
		[]any{w.tenant, w.caller}, &held); err != nil {
		return out, err
	}
	out.FirstTime = held == 0
	if out.Conversation, out.Change.Version, err = w.writeConversation(ctx, tx); err != nil {
		return out, raced(err)
	}
	if err := w.once.mark(ctx, tx, w.caller, out.Conversation.ID, out.Conversation.LastActivityAt); err != nil {
		return out, raced(err)
	}
	out.Caller, err = w.with(ctx, tx)
	conv := out.Conversation
	out.Change = recaller.Change{
		Tenant: w.tenant, Caller: w.caller, Version: out.Change.Version, Conversation: &conv, Zone: w.numbered,
	}
	if w.rows != nil {
		out.Change.Turns = w.turns
	}
	return out, err
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
	caller, err := w.find(ctx, tx)
	if err == nil && caller != "" && w.isNew {
		return errRaced
	}
	return err
}

// writeCaller creates the caller, or brings what is known up to date.
func (w *opening) writeCaller(ctx context.Context, tx Tx) error {
	at := w.in.Conversation.StartedAt
	if w.isNew {
		_, err := tx.Exec(ctx, `INSERT INTO callers (tenant_id, id, first_seen, last_seen, body, register)
			VALUES ($1, $2, $3, $3, $4, $5)`,
			w.tenant, w.caller, micros(at), w.callerBody, w.register)
		if err != nil {
			return err
		}
		return w.writeIdentities(ctx, tx)
	}
	if err := w.writeIdentities(ctx, tx); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `UPDATE callers SET first_seen = $3 WHERE tenant_id = $1 AND id = $2 AND first_seen > $3`,
		w.tenant, w.caller, micros(at)); err != nil {
		return err
	}
	if w.in.Name == "" {
		return nil
	}
	body, err := w.box.readCallerBody(ctx, tx, w.tenant, w.caller)
	if err != nil {
		return err
	}
	is := body.known().Told(w.in.Name, w.in.NameSource)
	if is == body.known() {
		return nil
	}
	return w.box.writeCallerBody(ctx, tx, w.tenant, w.caller, bodyOf(is))
}

// writeIdentities adds the identities that nobody has. It writes them in sorted order, so that two openings with the
// same identities never wait for each other.
func (w *opening) writeIdentities(ctx context.Context, tx Tx) error {
	order := make([]int, len(w.in.Identities))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(w.in.Identities[a].Kind, w.in.Identities[b].Kind),
			bytes.Compare(w.tokens[a], w.tokens[b]))
	})
	w.numbered = false
	for _, i := range order {
		id := w.in.Identities[i]
		n, err := tx.Exec(ctx, `INSERT INTO identities (tenant_id, kind, token, caller_id, value)
			VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (tenant_id, kind, token) DO NOTHING`, w.tenant, id.Kind, w.tokens[i], w.caller, w.values[i])
		if err != nil {
			return err
		}
		if n == 0 && w.isNew { // another opening made a caller of it between looking and writing
			return errRaced
		}
		w.numbered = w.numbered || n > 0 && !w.isNew && id.Kind == recaller.IdentityPhone
	}
	return nil
}

func (w *opening) writeConversation(ctx context.Context, tx Tx) (recaller.Conversation, int64, error) {
	c := w.in.Conversation
	c.Caller, c.Turns = w.caller, len(w.turns)
	c.StartedAt, c.EndedAt, c.LastActivityAt = c.StartedAt.UTC(), c.EndedAt.UTC(), c.LastActivityAt.UTC()
	users := userTurns(w.turns)
	_, err := tx.Exec(ctx, `INSERT INTO conversations (tenant_id, id, caller_id, external_token, channel, direction, status, reminder, imported,
		started_at, ended_at, last_activity_at, duration, turns, user_turns, body)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
		w.tenant, c.ID, c.Caller, w.externalToken, c.Channel, c.Direction, c.Status, c.Reminder, c.Imported,
		micros(c.StartedAt), microsOrNil(c.EndedAt), micros(c.LastActivityAt), c.Duration.Microseconds(),
		c.Turns, users, w.body)
	if err != nil {
		return c, 0, err
	}
	if err := insertTurns(ctx, tx, w.tenant, c, w.rows); err != nil {
		return c, 0, err
	}
	if !w.past {
		version, err := touch(ctx, tx, w.tenant, w.caller, c.StartedAt)
		return c, version, err
	}
	version, err := count(ctx, tx, w.tenant, c, users)
	if err != nil {
		return c, 0, err
	}
	return c, version, enqueueWrapup(ctx, tx, w.tenant, c, w.steps, w.job)
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
