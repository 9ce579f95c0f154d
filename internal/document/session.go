package document

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/identity"
)

// Of the documents that the wrap-up writes of voice conversations, as V5 has them.
const (
	sessionSource = "voice-call"
	sessionTag    = "voice-session"
	callTag       = "phone-call"
)

// FileSession writes the document of a voice conversation from its summary, in V's layout (V5), in place of the one that
// it wrote before. One whose words a client has changed stays. It reports whether there is a document now: without a
// summary there is none.
func (s *Service) FileSession(
	ctx context.Context, t recaller.Tenant, c recaller.Caller, conv recaller.Conversation,
) (there bool, err error) {
	if conv.Summary == nil || conv.Turns == 0 {
		return false, nil
	}
	for range maxRaces {
		if err = s.fileSession(ctx, session(t, c, conv), t.ID); !errors.Is(err, recaller.Conflict) {
			break
		}
	}
	return err == nil, err
}

func (s *Service) fileSession(ctx context.Context, d recaller.Document, tenant recaller.TenantID) error {
	old, err := s.Store.Document(ctx, tenant, d.ID)
	switch {
	case recaller.KindOf(err) == recaller.NotFound:
		if d.UpdatedAt = s.Now(); s.delivers(tenant) {
			d.Delivery.State = recaller.DeliveryPending
		}
		_, err = s.file(ctx, tenant, recaller.Once{}, d)
		return err
	case err != nil:
		return err
	case old.Origin != recaller.DocumentSession:
		return nil
	}
	d.Version, d.Tags, d.Source, d.Pinned, d.ArchivedAt = old.Version, old.Tags, old.Source, old.Pinned, old.ArchivedAt
	d.Delivery = old.Delivery
	if same(old, d) {
		return nil
	}
	if d.UpdatedAt = s.Now(); s.delivers(tenant) {
		d.Delivery = pending(d.Delivery)
	}
	_, err = s.file(ctx, tenant, recaller.Once{}, d)
	return err
}

// session returns the document of a conversation. Its id is the conversation's, so that there is one.
func session(t recaller.Tenant, c recaller.Caller, conv recaller.Conversation) recaller.Document {
	zone := identity.ZoneIn(conv, c, t)
	title := "Voice Call Summary — " + conv.StartedAt.In(zone).Format("2006-01-02 03:04 PM")
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n**Session:** %s\n**Duration:** %s\n**Caller:** %s\n",
		title, conv.SessionID(), lasted(conv.Duration), who(c))
	sum := conv.Summary
	topics := append([]string{sum.Brief}, slices.DeleteFunc(slices.Clone(sum.Topics), func(line string) bool {
		return line == sum.Brief
	})...)
	section(&b, "Topics Discussed", "- ", topics...)
	section(&b, "Key Decisions", "- ", sum.Decisions...)
	section(&b, "Action Items", "- [ ] ", sum.Actions...)
	section(&b, "Important Facts", "- ", sum.Facts...)
	section(&b, "Context for Next Call", "", leftOff(*sum))
	return recaller.Document{
		ID: recaller.DocumentID(conv.ID), Caller: conv.Caller, Conversation: conv.ID, Origin: recaller.DocumentSession,
		Title: title, Content: strings.TrimSpace(b.String()), Source: sessionSource, Tags: sessionTags(t), CreatedAt: conv.EndedAt,
	}
}

// leftOff tells where a conversation left off: its own line for that, or what was settled, promised or said last.
func leftOff(sum recaller.Summary) string {
	for _, list := range [][]string{{sum.Next}, sum.Decisions, sum.Actions, {sum.Brief}} {
		if len(list) > 0 && list[len(list)-1] != "" {
			return list[len(list)-1]
		}
	}
	return ""
}

// section writes a section of a document, if it has any line.
func section(b *strings.Builder, heading, mark string, lines ...string) {
	lines = slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return strings.TrimSpace(l) == "" })
	if len(lines) == 0 {
		return
	}
	b.WriteString("\n### " + heading + "\n")
	for _, l := range lines {
		b.WriteString(mark + strings.Join(strings.Fields(l), " ") + "\n")
	}
}

// sessionTags are the tags of a conversation's document: V's, where the tenant's name is the agent's.
func sessionTags(t recaller.Tenant) []string {
	tags := []string{sessionTag, callTag}
	name := strings.ToLower(strings.Join(strings.Fields(t.Name), "-"))
	if name != "" && t.ID != recaller.DefaultTenant && len(name) <= MaxTag && !slices.Contains(tags, name) {
		tags = slices.Insert(tags, 1, name)
	}
	return tags
}

// lasted writes a duration as V does: 4m 22s.
func lasted(d time.Duration) string {
	seconds := int(d.Round(time.Second) / time.Second)
	return fmt.Sprintf("%dm %ds", seconds/60, seconds%60)
}

// who writes a caller as V does: a name, with the number in brackets.
func who(c recaller.Caller) string {
	known := slices.DeleteFunc([]string{c.Name, c.Phone()}, func(s string) bool { return s == "" })
	switch len(known) {
	case 0:
		return "unknown"
	case 1:
		return known[0]
	}
	return known[0] + " (" + known[1] + ")"
}
