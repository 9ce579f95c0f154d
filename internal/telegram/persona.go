package telegram

import (
	"context"
	"strconv"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/thread"
)

// Personas lists the versions of how the agent is, newest first.
type Personas interface {
	Personas(ctx context.Context, tenant recaller.TenantID, page recaller.Page) ([]recaller.Persona, string, error)
}

// restore is the argument of /persona that takes a thread's own persona away.
const restore = "-"

// personaButton begins the data of a button; the number of the version that it chooses follows, 0 for the one of all
// threads.
const personaButton = "persona:"

// persona shows how the agent is here and how else it can be, or has it be as the user says, in this thread: by a text, or
// by the number of a version.
func (b *Bot) persona(ctx context.Context, t talk) error {
	if t.argument == "" {
		return b.personas(ctx, t)
	}
	choice := recaller.PersonaChoice{Text: t.argument}
	if n, err := strconv.Atoi(t.argument); err == nil && n > 0 {
		choice = recaller.PersonaChoice{Version: n}
	} else if t.argument == restore {
		choice = recaller.PersonaChoice{}
	}
	notice, err := b.choose(ctx, t, choice)
	if err != nil {
		return err
	}
	return b.say(ctx, t, plain(notice))
}

// choose has the agent be so in this thread, and returns what is to be told of it.
func (b *Bot) choose(ctx context.Context, t talk, choice recaller.PersonaChoice) (notice string, err error) {
	_, err = b.Threads.Update(ctx, tenant, string(t.thread.ID), thread.Change{Persona: &choice})
	switch {
	case recaller.KindOf(err) == recaller.Invalid && choice.Version != 0:
		return fill(t.personaUnknown, strconv.Itoa(choice.Version)), nil
	case recaller.KindOf(err) == recaller.Invalid:
		return t.personaLong, nil
	case err != nil:
		return "", err
	case choice.Version != 0:
		return fill(t.personaVersion, strconv.Itoa(choice.Version)), nil
	case choice.Text != "":
		return t.personaSet, nil
	}
	return t.personaElsewhere, nil
}

// pressPersona chooses what a button says.
func (b *Bot) pressPersona(ctx context.Context, t talk, version string) error {
	n, err := strconv.Atoi(version)
	if err != nil || n < 0 {
		return b.settle(ctx, t, "")
	}
	notice, err := b.choose(ctx, t, recaller.PersonaChoice{Version: n})
	if err != nil {
		return err
	}
	return b.settle(ctx, t, notice)
}

// personas tells how the agent is here, with a button for each other way to be.
func (b *Bot) personas(ctx context.Context, t talk) error {
	text, err := b.Threads.Persona(ctx, tenant, t.thread)
	if err != nil {
		return err
	}
	now := plain(t.personaNone)
	if strings.TrimSpace(text) != "" {
		now = plain(fill(t.notices.persona, text))
	}
	if err := b.say(ctx, t, now); err != nil {
		return err
	}
	list, _, err := b.Personas.Personas(ctx, tenant, recaller.Page{Limit: maxButtons})
	if err != nil {
		return err
	}
	rows := t.ways(list)
	if len(rows) == 0 {
		return nil
	}
	m := message{rich: plain(t.personaWhich), buttons: keyboard{rows}}
	return b.once(ctx, t, "asks back", func() error { return b.sender.message(ctx, t.place, m) })
}

// ways are the buttons with how the agent can be in a thread beside how it is.
func (t talk) ways(list []recaller.Persona) (rows [][]key) {
	own := t.thread.Persona != (recaller.PersonaChoice{})
	for _, p := range list {
		if p.Version == t.thread.Persona.Version || p.Active && !own {
			continue
		}
		text := strconv.Itoa(p.Version) + ": " + p.Label
		if p.Label == "" {
			text = strconv.Itoa(p.Version) + ": " + p.Text
		}
		rows = append(rows, button(text, personaButton+strconv.Itoa(p.Version)))
	}
	if own {
		rows = append(rows, button(t.personaAsElsewhere, personaButton+"0"))
	}
	return rows
}

// keyboard are buttons below a message, row by row. The library's own always write an empty text to copy beside what a button
// does, and a button may do one thing.
type keyboard struct {
	Rows [][]key `json:"inline_keyboard"`
}

type key struct {
	Text string `json:"text"`
	Data string `json:"callback_data"`
}

func button(text, data string) []key {
	if text = oneLine(text); len(text) > maxButton {
		text = strings.TrimSpace(clip(text, maxButton)) + "…"
	}
	return []key{{text, data}}
}
