package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/transcript"
)

// People speak about 150 words a minute, and wait half a second before they answer.
const (
	perWord = 400 * time.Millisecond
	perTurn = 500 * time.Millisecond
)

// spoken is how long it takes to say a text.
func spoken(text string) time.Duration {
	return perTurn + perWord*time.Duration(len(strings.Fields(text)))
}

// paced gives a conversation without times the pace of speech, because W9 finds nothing in a call that took no time. It
// ends no later than now.
func paced(conv transcript.Conversation, now time.Time) transcript.Conversation {
	for _, t := range conv.Turns {
		if !t.At.IsZero() {
			return conv
		}
	}
	if !conv.EndedAt.IsZero() && conv.EndedAt.After(conv.StartedAt) {
		return conv
	}
	var length time.Duration
	for _, t := range conv.Turns {
		length += spoken(t.Text)
	}
	if conv.StartedAt.Add(length).After(now) {
		conv.StartedAt = now.Add(-length)
	}
	turns := make([]recaller.Turn, len(conv.Turns))
	at := conv.StartedAt
	for i, t := range conv.Turns {
		t.At = at
		turns[i] = t
		at = at.Add(spoken(t.Text))
	}
	conv.Turns, conv.EndedAt = turns, at
	return conv
}

// pastOf returns a conversation in the form that the import takes.
func pastOf(conv transcript.Conversation, wrapup bool, now time.Time) client.ImportRequest {
	if conv.ExternalID == "" {
		conv.ExternalID = fingerprint(conv)
	}
	conv = paced(conv, now)
	in := client.ImportRequest{
		Caller:     callerOf(conv.Caller),
		ExternalID: conv.ExternalID,
		Channel:    conv.Channel,
		Direction:  conv.Direction,
		StartedAt:  conv.StartedAt,
		EndedAt:    conv.EndedAt,
		Status:     conv.Status,

		DurationSeconds: conv.Duration.Seconds(),
		RecordingURL:    conv.RecordingURL,
		Turns:           make([]client.TurnInput, len(conv.Turns)),
	}
	if !wrapup || conv.NoWrapup {
		in.Wrapup = new(bool)
	}
	for i, t := range conv.Turns {
		in.Turns[i] = inputOf(t)
	}
	return in
}

// fingerprint names a conversation without an id by its content, so that replaying its file again finds it. It says
// nothing of the words.
func fingerprint(conv transcript.Conversation) string {
	hash := sha256.New()
	fmt.Fprintf(hash, "%q %q %d", conv.Caller.Phone, conv.Caller.ExternalID, conv.StartedAt.Unix())
	for _, t := range conv.Turns {
		fmt.Fprintf(hash, " %q %q", t.Speaker, t.Text)
	}
	return "replay-" + hex.EncodeToString(hash.Sum(nil)[:12])
}

func callerOf(c transcript.Caller) client.CallerRef {
	return client.CallerRef{Phone: c.Phone, ExternalID: c.ExternalID, Name: c.Name}
}

func inputOf(t recaller.Turn) client.TurnInput {
	in := client.TurnInput{Speaker: t.Speaker, Text: t.Text, At: t.At, Name: t.Name, Interrupted: t.Interrupted}
	if t.Confidence > 0 && t.Confidence < 1 {
		in.Confidence = &t.Confidence
	}
	return in
}

// playLive plays a conversation as a call that happens now. With speed 0 it does not wait between turns. Ctrl-C ends
// the call as broken off.
func playLive(
	ctx context.Context, s *session, api *client.Client, conv transcript.Conversation, speed float64,
) (client.Conversation, error) {
	conv = paced(conv, s.now())
	started, err := api.StartConversation(ctx, client.StartRequest{
		Caller: callerOf(conv.Caller), Channel: conv.Channel, Direction: conv.Direction,
	})
	if err != nil {
		return client.Conversation{}, err
	}
	id := started.Conversation.ID
	status, reason := statusOf(conv)
	end := client.EndRequest{Status: status, Reason: reason, DurationSeconds: lengthOf(conv).Seconds()}
	if err := playTurns(ctx, s, api, id, conv, speed); err != nil {
		end = client.EndRequest{Status: recaller.Failed, Reason: "connection lost"}
		_, _ = api.EndConversation(context.WithoutCancel(ctx), id, end) // the first error tells more
		return client.Conversation{}, err
	}
	return api.EndConversation(ctx, id, end)
}

func playTurns(
	ctx context.Context, s *session, api *client.Client, id string, conv transcript.Conversation, speed float64,
) error {
	last := conv.StartedAt
	for _, t := range conv.Turns {
		if err := pause(ctx, t.At.Sub(last), speed); err != nil {
			return err
		}
		last = t.At
		in := inputOf(t)
		in.At = time.Time{} // it is said now
		if _, err := api.AddTurns(ctx, id, in); err != nil {
			return err
		}
		s.verbosef("%s %s", sideName(t.Speaker), t.At.Sub(conv.StartedAt).Round(time.Second))
	}
	return nil
}

func pause(ctx context.Context, gap time.Duration, speed float64) error {
	if speed <= 0 || gap <= 0 {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(float64(gap) / speed)):
		return nil
	}
}

// lengthOf returns how long a conversation took.
func lengthOf(conv transcript.Conversation) time.Duration {
	end := conv.EndedAt
	if last := len(conv.Turns) - 1; last >= 0 && conv.Turns[last].At.After(end) {
		end = conv.Turns[last].At
	}
	return max(0, end.Sub(conv.StartedAt))
}
