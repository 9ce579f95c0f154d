package agent

import (
	"context"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/prompt"
)

// Bounds of what is told of the conversation; the newest turn is told in any case.
const (
	maxTurns = 60
	maxWords = 24 << 10 // bytes
)

// unsure is how sure a recogniser must have been of words that can be relied on (B10).
const unsure = 0.5

// Wants is the request by which the briefing for an answer to the last of these turns is made.
func Wants(turns []recaller.Turn) briefing.Request {
	return briefing.Request{
		Style: recaller.StyleSystemPrompt, MaxMemories: briefing.LiveMemories, Tools: true, Stage: briefing.StageOf(turns),
	}
}

// Briefings makes the briefing of a conversation; *conversation.Service does.
type Briefings interface {
	Briefing(ctx context.Context, tenant recaller.TenantID, ref string, req briefing.Request) (recaller.Briefing, error)
}

// briefingLimit is how long an answer waits for its briefing.
const briefingLimit = 2 * time.Second

// Brief has the briefing made for an answer to the last of these turns: anew each time, because memories may have changed since
// the last answer (W8). It fails within two seconds, and the agent can answer without.
func Brief(
	ctx context.Context, of Briefings, tenant recaller.TenantID, conversation string, turns []recaller.Turn,
) (recaller.Briefing, error) {
	ctx, cancel := context.WithTimeout(ctx, briefingLimit)
	defer cancel()
	return of.Briefing(ctx, tenant, conversation, Wants(turns))
}

// instructions are what the model is told before the turns: what changes least comes first, because providers keep the
// beginning of a prompt.
func instructions(t recaller.Tenant, in Asking) string {
	manner, _ := prompt.For(t, mannerOf(in.Channel))
	if told := strings.TrimSpace(in.Briefing.Text); told != "" {
		return told + "\n\n" + manner
	}
	memory, _ := prompt.For(t, prompt.Memory)
	return strings.Join([]string{prompt.Unbriefed, manner, memory}, "\n\n")
}

// mannerOf names the prompt that says how to talk on a channel.
func mannerOf(c recaller.Channel) string {
	switch c {
	case recaller.ChannelVoice:
		return prompt.Voice
	case recaller.ChannelSMS, recaller.ChannelWhatsApp:
		return prompt.SMS
	}
	return prompt.Chat
}

// dialogue is what was said, as a model is told of it: turns of one side in a row are one.
func dialogue(turns []recaller.Turn) []recaller.Said {
	size, from := 0, len(turns)
	for from > 0 && len(turns)-from < maxTurns && (from == len(turns) || size+len(turns[from-1].Text) <= maxWords) {
		from--
		size += len(turns[from].Text)
	}
	var out []recaller.Said
	for _, t := range turns[from:] {
		words := strings.TrimSpace(t.Text)
		if t.Interrupted && t.Speaker == recaller.Assistant {
			words = strings.TrimRight(words, " .…—-") + "—" // it was cut off there
		}
		if words == "" {
			continue
		}
		if t.Speaker == recaller.User && t.Confidence > 0 && t.Confidence < unsure {
			words = "(hardly heard) " + words
		}
		if n := len(out); n > 0 && out[n-1].Speaker == t.Speaker {
			out[n-1].Text += "\n" + words
			continue
		}
		out = append(out, recaller.Said{Speaker: t.Speaker, Text: words})
	}
	return out
}
