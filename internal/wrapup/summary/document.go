package summary

import (
	"fmt"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// Header is what a summary document says of its conversation above the sections.
type Header struct {
	Session   string // the conversation's id, as readers know it
	Channel   recaller.Channel
	StartedAt time.Time // in the caller's zone
	Duration  time.Duration
	Name      string // the caller's name; may be empty
	Number    string // the caller's number or other identity; may be empty
}

// Document lays a summary out as seed V does: title, markdown with header lines and sections, tags. Sections without
// content are left out.
func Document(s recaller.Summary, h Header) (title, markdown string, tags []string) {
	kind := kinds(h.Channel)
	title = kind.title + " Summary — " + h.StartedAt.Format("2006-01-02 3:04 PM")
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n", title)
	headerLine(&b, "Session", h.Session)
	if h.Duration > 0 {
		headerLine(&b, "Duration", duration(h.Duration))
	}
	headerLine(&b, "Caller", caller(h.Name, h.Number))
	sectionLines(&b, "Topics Discussed", "- ", s.Topics)
	sectionLines(&b, "Key Decisions", "- ", s.Decisions)
	sectionLines(&b, "Action Items", "- [ ] ", s.Actions)
	sectionLines(&b, "Important Facts", "- ", s.Facts)
	if next := strings.TrimSpace(strings.TrimSpace(s.Brief) + " " + s.Next); next != "" {
		fmt.Fprintf(&b, "\n### Context for Next Call\n%s\n", oneLine(next))
	}
	return title, strings.TrimRight(b.String(), "\n"), kind.tags
}

type documentKind struct {
	title string
	tags  []string
}

func kinds(c recaller.Channel) documentKind {
	switch c {
	case recaller.ChannelSMS:
		return documentKind{"SMS", []string{"sms-session", "sms"}}
	case recaller.ChannelWebChat:
		return documentKind{"Chat", []string{"chat-session", "web-chat"}}
	case recaller.ChannelTelegram:
		return documentKind{"Telegram Chat", []string{"chat-session", "telegram"}}
	case recaller.ChannelAPI:
		return documentKind{"Conversation", []string{"api-session", "api"}}
	}
	return documentKind{"Voice Call", []string{"voice-session", "phone-call"}}
}

func headerLine(b *strings.Builder, name, value string) {
	if value != "" {
		fmt.Fprintf(b, "**%s:** %s\n", name, oneLine(value))
	}
}

func sectionLines(b *strings.Builder, name, mark string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### %s\n", name)
	for _, l := range lines {
		b.WriteString(mark + oneLine(l) + "\n")
	}
}

// oneLine keeps words that were said from making lines, and so headings, of their own.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func duration(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%dh %dm %ds", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%dm %ds", s/60, s%60)
}

func caller(name, number string) string {
	switch {
	case name != "" && number != "":
		return name + " (" + number + ")"
	case name != "":
		return name
	}
	return number
}
