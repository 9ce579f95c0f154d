package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

func second[T any](_ T, err error) error { return err }

// fill leaves something of everything that is sealed, for each column of a victim of its own, and for Ben.
func (w *wreck) fill(h *house, columns []sealedColumn) {
	w.victims = make([]victim, len(columns))
	talks := make([]func() bool, len(columns)+1)
	for i, c := range columns {
		if c.moved {
			w.merge(h, victimsPhone(i))
		}
	}
	var all errgroup.Group
	all.SetLimit(8)
	for i := range talks {
		all.Go(func() (err error) {
			v, as := victim{}, h.Client
			house := i < len(columns) && columns[i].house
			if house {
				if v, as, err = w.settle(h, i); err != nil {
					return err
				}
			}
			talk, err := w.live(h, as, &v, victimsPhone(i))
			talks[i] = func() bool {
				rec, err := as.Conversation(h.t.Context(), talk)
				return err == nil && rec.Wrapup.Done
			}
			if !house {
				v.id = v.caller
			}
			if i == len(columns) {
				w.ben = v.caller
			} else {
				w.victims[i] = v
			}
			return err
		})
	}
	if err := all.Wait(); err != nil {
		h.t.Fatal(err)
	}
	for _, written := range talks {
		h.eventually("the conversation is written up", written)
	}
}

func victimsPhone(i int) string { return fmt.Sprintf("+1415555%04d", 100+i) }

// merge has the caller with a number turn out to be somebody else, too.
func (w *wreck) merge(h *house, phone string) {
	ids := make([]string, 2)
	for i, caller := range []client.CallerRef{{Phone: phone}, {ExternalID: "also " + phone}} {
		call, err := h.StartConversation(h.t.Context(), client.StartRequest{Caller: caller})
		if err != nil {
			h.t.Fatal(err)
		}
		h.hangUp(call.Conversation.ID)
		h.writtenUp(call.Conversation.ID)
		ids[i] = call.Caller.ID
	}
	if _, err := h.MergeCallers(h.t.Context(), ids[0], client.CallerMerge{From: ids[1]}); err != nil {
		h.t.Fatal(err)
	}
	w.merged++
}

// settle makes a tenant that has all that tenants have.
func (w *wreck) settle(h *house, i int) (v victim, as *client.Client, err error) {
	ctx := h.t.Context()
	made, err := h.CreateTenant(ctx, client.NewTenant{Name: fmt.Sprint("House ", i)})
	if err != nil {
		return v, nil, err
	}
	v.id, v.key = made.Tenant.ID, made.APIKey
	if as, err = client.New(h.url, v.key, client.WithRetries(0)); err != nil {
		return v, nil, err
	}
	reader, err := as.CreateKey(ctx, client.KeyInput{Scope: recaller.ScopeRead, Label: "reader"})
	v.reader = reader.APIKey
	return v, as, errors.Join(err,
		second(as.PutPack(ctx, client.Pack{
			Name: "fences", Intents: []client.PackRule{{Label: "fence", Phrases: []string{"fence"}}},
		})),
		second(as.SetPersona(ctx, client.PersonaInput{Text: "warm", Label: "first"})),
		second(as.SetPersona(ctx, client.PersonaInput{Text: "warm and brief", Label: "second"})),
		second(as.CreateDocument(ctx, client.DocumentInput{Title: "Cancellations", Content: "Free until 24 hours before."})))
}

// live has a caller leave something of all that callers leave. It returns the call that is to be written up.
func (w *wreck) live(h *house, as *client.Client, v *victim, phone string) (talk string, err error) {
	ctx := h.t.Context()
	call, err := as.StartConversation(ctx, client.StartRequest{Caller: client.CallerRef{Phone: phone}})
	if err != nil {
		return "", err
	}
	v.caller, talk = call.Caller.ID, call.Conversation.ID
	err = errors.Join(
		second(as.AddTurns(ctx, talk, client.TurnInput{
			Speaker: recaller.User,
			Text:    "My dog is called Biscuit. The fence at 4 Elm Road needs a repair. Can you come on Monday at nine?",
		}, client.TurnInput{Speaker: recaller.Assistant, Text: "Yes, Monday at nine it is. See you then."})),
		second(as.EndConversation(ctx, talk, client.EndRequest{DurationSeconds: 120})),
		second(as.PutCheckpoint(ctx, v.caller, client.CheckpointInput{
			Intent: "gate", Summary: "choosing a colour", StagingData: json.RawMessage(`{}`),
		})),
		second(as.CreateDocument(ctx, client.DocumentInput{Title: "The hedge", Content: "It is a yew.", CallerID: v.caller})))
	if err != nil {
		return "", err
	}
	name := "Anastasia"
	kept, err := as.StoreMemory(ctx, v.caller, client.MemoryInput{
		Type: recaller.FollowUp, Key: "gate", Value: "Wants the gate painted.",
	})
	if err != nil {
		return "", err
	}
	gone, err := as.StoreMemory(ctx, v.caller, client.MemoryInput{
		Type: recaller.Fact, Key: "car", Value: "Drives a Volvo.",
	})
	if err != nil {
		return "", err
	}
	tenant := recaller.DefaultTenant
	if v.id != "" {
		tenant = recaller.TenantID(v.id)
	}
	chat, err := as.OpenThread(ctx, client.ThreadRequest{
		Caller: client.CallerRef{Phone: phone}, ExternalID: "chat " + phone,
	})
	if err != nil {
		return "", err
	}
	open, err := as.StartConversation(ctx, client.StartRequest{Caller: client.CallerRef{Phone: phone}})
	if err != nil {
		return "", err
	}
	due := h.clock.Now().AddDate(0, 1, 0)
	reminder, err := as.SetReminder(ctx, kept.Memory.ID, client.ReminderInput{DueAt: due, Text: "Ask about the gate."})
	if err != nil {
		return "", err
	}
	return talk, errors.Join(
		second(as.ForgetMemory(ctx, gone.Memory.ID)),
		second(h.app.store.ChangeErrand(ctx, tenant, recaller.ReminderID(reminder.ID), due,
			func(recaller.Reminder, func(time.Time) (recaller.Errands, error)) (*recaller.ErrandWrite, error) {
				return &recaller.ErrandWrite{Errand: recaller.Errand{
					Due: due, Means: recaller.MeansRing, State: recaller.ErrandWaiting, Begun: due, Since: due, Next: due, To: phone,
				}}, nil
			})),
		second(as.UpdateCaller(ctx, v.caller, client.CallerPatch{Name: &name})),
		second(as.ThreadReply(ctx, chat.Thread.ID, client.ReplyRequest{
			ThreadMessage: client.ThreadMessage{Message: "Which hedge did we choose?"}, Reply: "The yew.",
		})),
		second(as.AddTurns(ctx, open.Conversation.ID, client.TurnInput{Speaker: recaller.User, Text: "And the hinge."})),
		w.cache(ctx, h, tenant, recaller.CallerID(v.caller), recaller.ConversationID(talk)))
}

// cache leaves what is kept of a caller for speed.
func (w *wreck) cache(
	ctx context.Context, h *house, tenant recaller.TenantID, caller recaller.CallerID, talk recaller.ConversationID,
) error {
	return errors.Join(
		h.app.store.PutTurnVectors(ctx, tenant, caller, []recaller.TurnVectors{{
			Conversation: talk, Model: "m", Width: 2, Numbers: []int{0}, Data: []int8{1, 2},
		}}),
		h.app.store.PutSegment(ctx, tenant, caller, "segment of "+string(caller), []byte("words"), nil))
}
