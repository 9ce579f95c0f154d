package briefing

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
)

// told is what an agent may be told in a conversation, and what that means.
type told struct {
	trust   recaller.Trust
	rights  recaller.Rights
	unnamed bool // what he is called may not be told
	held    bool // something that is known may not be told until it is sure who speaks
	pin     bool // he can prove by a PIN who he is
}

// told says what may be told: by the tier that the request names, or a surer one that the conversation, or the thread's, has
// by now.
func (r Request) told(snap recaller.Snapshot) told {
	t := told{trust: r.Trust}
	if !t.trust.Valid() {
		t.trust = recaller.TrustClaimed
	}
	for _, b := range snap.Open {
		live := r.Exclude != "" && b.Conversation.ID == r.Exclude
		live = live || r.Thread != nil && r.Thread.ID != "" && b.Conversation.Thread == r.Thread.ID
		if live && b.Conversation.Trust.Valid() {
			t.trust = recaller.Highest(t.trust, b.Conversation.Trust)
		}
	}
	t.rights = snap.Tenant.Rights(t.trust)
	return t
}

// guarded reports whether nothing of what was said or is remembered may be told.
func (t told) guarded() bool {
	return t.rights.Tell == recaller.TellNothing || t.rights.Tell == recaller.TellName
}

// withhold takes out of a briefing's material what may not be told (B1).
func (t *told) withhold(snap *recaller.Snapshot, found []recaller.Hit) []recaller.Hit {
	name := snap.Caller.Name
	defer func() { t.unnamed = snap.Caller.Name != name }()
	t.pin = snap.Caller.HasPIN && snap.Tenant.MemoryTools && t.trust != recaller.TrustVerified
	if t.rights.Tells(recaller.TellAll) {
		return found
	}
	if t.guarded() {
		t.held = !snap.Caller.Withheld()
		who := snap.Caller
		*snap = recaller.Snapshot{Tenant: snap.Tenant, Silent: true, Reached: snap.Reached} // an agent that rings knows that it does
		if t.rights.Tell == recaller.TellName {
			snap.Caller = recaller.Caller{ID: who.ID, Identities: who.Identities, Name: who.Name, NameSource: who.NameSource, TimeZone: who.TimeZone}
		}
		return slices.DeleteFunc(slices.Clone(found), func(h recaller.Hit) bool { return !h.House })
	}
	if len(snap.Private) == 0 {
		return found
	}
	t.held = true
	return forgotten.Withhold(snap).Hits(found)
}

// discreet leaves out of a thread's last messages those that say what may not be told.
func (t told) discreet(of *Thread, snap recaller.Snapshot) *Thread {
	if of == nil || !t.held {
		return of
	}
	out := *of
	if t.guarded() {
		out.Summary, out.Recent = nil, nil
		return &out
	}
	v := forgotten.New(forgotten.AsIf(snap.Private))
	out.Recent = slices.DeleteFunc(slices.Clone(of.Recent), func(s Said) bool { return v.Hides(s.Conversation, s.Turn) })
	return &out
}

// usable returns a line of what to do with tools without the parts of it that name one which is refused here.
func (t told) usable(line string) string {
	refused := func(part string) bool {
		return slices.ContainsFunc(recaller.Tools(), func(tool recaller.Tool) bool {
			return !t.rights.Allows(tool) && strings.Contains(part, string(tool))
		})
	}
	if t.trust == "" || !refused(line) {
		return line
	}
	rest, listed := strings.CutPrefix(strings.TrimSpace(line), "- ")
	kept := strings.Join(slices.DeleteFunc(strings.Split(rest, "; "), refused), "; ")
	if listed && kept != "" {
		kept = "- " + kept
	}
	return kept
}

// refused returns the memory tools that would do nothing.
func (t told) refused(alone bool) (out []recaller.Tool) {
	for _, tool := range recaller.Tools() {
		if t.trust != "" && !t.rights.Allows(tool) || tool == recaller.ToolVerifyCaller && !t.pin ||
			tool == recaller.ToolSomeoneElse && alone {
			out = append(out, tool)
		}
	}
	return out
}

// trust says how sure it is who speaks, where that matters: something is kept back.
func (c *composer) trust() {
	if !c.told.held && !c.told.pin {
		return
	}
	c.section("trust", "", false, nil)
	c.unit(rankGuidance, func(*unit) {
		text := "The number is known, but who speaks has not been verified"
		switch {
		case c.told.trust == recaller.TrustAttested:
			text = "The network vouches for the number, but who speaks has not been verified"
		case c.snap.Caller.Phone() == "":
			text = "It has not been verified who speaks"
		}
		switch {
		case !c.told.held:
			text += "."
		case c.told.rights.Tell == recaller.TellNothing:
			text += ": nothing that is known may be told. Do not say whether you know them."
		case c.told.rights.Tell == recaller.TellName:
			text += ": nothing may be told beyond what stands here. Do not say that there is more."
		default:
			text += ": some of what is known is kept back. Do not guess it, and do not say that there is more."
		}
		if c.told.pin {
			text += " The caller has a PIN: ask for it before you tell what is private, and call verify_caller."
		}
		c.line(text)
	})
}
