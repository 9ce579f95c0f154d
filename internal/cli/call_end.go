package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/cli/term"
)

// Waiting for the wrap-up.
const (
	wrapupPoll = 50 * time.Millisecond
	wrapupWait = 60 * time.Second // without a model it takes milliseconds; with one, V7 allows 30 s
)

// hangUp ends the call, waits for its write-up, and shows what was made of it.
func (c *phoneCall) hangUp(ctx context.Context, status recaller.Status, reason string) error {
	// Typing is not speaking: a call from a script takes no time, and W9 would find nothing in it.
	length := max(c.clock().Sub(c.begun), c.spoken)
	conv, err := c.api.EndConversation(ctx, c.conv, client.EndRequest{
		Status: status, Reason: reason, DurationSeconds: length.Seconds(),
	})
	if err != nil {
		return err
	}
	out := c.screen.out
	how := out.Good("call ended")
	if status == recaller.Failed {
		how = out.Warn("call broke off")
	}
	c.screen.printf("")
	c.screen.printf("%s %s", how, out.Dim(fmt.Sprintf("after %s and %s", length.Round(time.Second), count(conv.TurnCount, "turn"))))
	if conv.TurnCount == 0 {
		return nil
	}
	record, done, err := waitWrapup(ctx, c.api, c.conv, wrapupWait)
	if err != nil {
		return err
	}
	c.screen.show(func(out term.Out) { writeWriteUp(out, record) })
	if !done {
		c.screen.printf("%s", out.Warn("the write-up is not done yet: it goes on in the server, or at the next start"))
		return nil
	}
	caller, err := c.callerID(ctx)
	if err != nil {
		return err
	}
	memories, err := allMemories(ctx, c.api, caller, client.MemoryFilter{ConversationID: c.conv})
	if err != nil {
		return err
	}
	c.screen.show(func(out term.Out) {
		if len(memories) > 0 {
			fmt.Fprintf(out, "%s\n", out.Bold("Remembered"))
		}
		for _, m := range memories {
			fmt.Fprintf(out, "  %s\n", memoryLine(out, "+", m))
		}
	})
	return nil
}

// waitWrapup waits until a conversation is written up. done is false if that took too long, or is tried again later
// because a model does not answer.
func waitWrapup(
	ctx context.Context, api *client.Client, id string, longest time.Duration,
) (record client.ConversationRecord, done bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	tick := time.NewTicker(wrapupPoll)
	defer tick.Stop()
	for {
		record, err = api.ConversationWithoutTurns(ctx, id)
		if ctx.Err() != nil {
			return record, false, nil
		}
		if err != nil || record.Wrapup.Done || triedAgain(record.Wrapup) {
			return record, record.Wrapup.Done, err
		}
		select {
		case <-ctx.Done():
			return record, false, nil
		case <-tick.C:
		}
	}
}

// triedAgain reports whether a step failed before and is still open.
func triedAgain(w client.Wrapup) bool {
	return slices.ContainsFunc(w.Steps, func(s client.Step) bool {
		return s.State == recaller.StepPending && s.Attempts > 1
	})
}

// writeWriteUp shows the summary and the labels of a conversation.
func writeWriteUp(out term.Out, r client.ConversationRecord) {
	fmt.Fprintln(out)
	if sum := r.Conversation.Summary; sum != nil {
		writeField(out, "Summary", sum.Brief)
		writeList(out, "Topics", sum.Topics)
		writeList(out, "Decided", sum.Decisions)
		writeList(out, "To do", sum.Actions)
		writeList(out, "Facts", sum.Facts)
		writeField(out, "Next time", sum.Next)
	}
	if a := r.Conversation.Analysis; a != nil {
		writeField(out, "Labels", labels(*a))
	}
	for _, step := range r.Wrapup.Steps {
		if step.Reason != "" {
			writeField(out, "Note", fmt.Sprintf("%s %s: %s", step.Step, step.State, step.Reason))
		}
	}
}

func labels(a client.Analysis) string {
	var parts []string
	for _, label := range []string{a.Intent, a.Sentiment, a.Outcome} {
		if label != "" {
			parts = append(parts, strings.ReplaceAll(label, "_", " "))
		}
	}
	return strings.Join(parts, " · ")
}

func writeField(out term.Out, name, text string) {
	if text == "" {
		return
	}
	const indent = "            "
	wrapped := strings.ReplaceAll(term.Wrap(term.Clean(text), out.Width-len(indent), ""), "\n", "\n"+indent)
	fmt.Fprintf(out, "%s %s\n", out.Bold(fmt.Sprintf("%-11s", name)), wrapped)
}

func writeList(out term.Out, name string, items []string) {
	for i, item := range items {
		if i > 0 {
			name = ""
		}
		writeField(out, name, item)
	}
}
