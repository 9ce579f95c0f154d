package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/cli/term"
	"github.com/recallerhq/recaller/internal/rehearsal"
)

// end ends the call, as the platform does it. failed is what stopped the script.
func (st *studio) end(ctx context.Context, a rehearsal.Answer, how string, failed error, over <-chan error) error {
	took := st.caller.Length()
	if how == "drop" || failed != nil {
		err := st.phone.Drop()
		<-over //nolint:errcheck // it broke, which is what was wanted
		return errors.Join(failed, err)
	}
	var err error
	if how == "over" {
		err = <-over
		st.step("the agent has hung up")
		if st.unsaid > 0 {
			st.step("%s not said", count(st.unsaid, "line")+map[bool]string{true: " was", false: " were"}[st.unsaid == 1])
		}
		next, asked := st.platform.After(ctx, a)
		if err = errors.Join(err, asked); next.Spoken != "" {
			st.screen.printf("%s %s", st.screen.out.Accent(fmt.Sprintf("%6s platform ›", stamp(took))), term.Clean(next.Spoken))
		}
	}
	_, told := st.platform.Over(ctx, took)
	if err = errors.Join(err, told); how == "over" || err != nil {
		return err
	}
	st.step("the caller hangs up")
	return errors.Join(st.phone.HangUp(ctx), <-over)
}

// endWait bounds how long the server may take to end a call.
const endWait = 20 * time.Second

// show shows what was kept of the call, and what was made of it.
func (st *studio) show(ctx context.Context, stop func()) error {
	record, err := st.ended(ctx)
	stop()
	if err != nil {
		return err
	}
	conv, out := record.Conversation, st.screen.out
	how := out.Good("call ended")
	if conv.Status == recaller.Failed {
		how = out.Warn("call broke off")
	}
	took := st.caller.Length().Round(100 * time.Millisecond)
	st.screen.printf("\n%s %s", how, out.Dim(fmt.Sprintf("after %s: %s; %s kept", took, conv.EndReason, count(len(record.Turns), "turn"))))
	if len(record.Turns) > 0 {
		st.screen.printf("\n%s", out.Bold("Kept"))
	}
	for _, turn := range record.Turns {
		cut := ""
		if turn.Interrupted {
			cut = out.Warn(" — cut off")
		}
		st.screen.printf("  %-6s › %s%s", sideName(turn.Speaker), term.Clean(turn.Text), cut)
	}
	if len(record.Turns) > 0 {
		if err := st.writeUp(ctx, conv); err != nil {
			return err
		}
	}
	return st.hints()
}

// ended waits for the end of the conversation.
func (st *studio) ended(ctx context.Context) (client.ConversationRecord, error) {
	ctx, cancel := context.WithTimeout(ctx, endWait)
	defer cancel()
	tick := time.NewTicker(wrapupPoll)
	defer tick.Stop()
	for {
		record, err := st.api.Conversation(ctx, st.platform.Call)
		if err != nil || record.Conversation.Status != recaller.Active {
			return record, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return record, errors.New("the server did not end the call in time")
		}
	}
}

// writeUp waits for the write-up, and shows it with what is remembered.
func (st *studio) writeUp(ctx context.Context, conv client.Conversation) error {
	record, _, err := waitWrapup(ctx, st.api, conv.ID, wrapupWait)
	if err != nil {
		return err
	}
	st.screen.show(func(out term.Out) { writeWriteUp(out, record) })
	if conv.CallerID == "" {
		return nil
	}
	memories, err := allMemories(ctx, st.api, conv.CallerID, client.MemoryFilter{ConversationID: conv.ID})
	if err != nil || len(memories) == 0 {
		return err
	}
	st.screen.show(func(out term.Out) {
		fmt.Fprintf(out, "%s\n", out.Bold("Remembered"))
		for _, m := range memories {
			fmt.Fprintf(out, "  %s\n", memoryLine(out, "+", m))
		}
	})
	return nil
}

// hints says what can be done next.
func (st *studio) hints() error {
	out := st.screen.out
	if st.cmd.Out != "" {
		if err := st.keepSound(); err != nil {
			return err
		}
		st.screen.printf("\n%s %s", out.Bold("Sound"), term.Clean(st.cmd.Out)+out.Dim(" (the caller on the left, the agent on the right)"))
	}
	again := strings.TrimSpace("recaller call --audio " + string(st.cmd.Phone))
	st.screen.printf("\n%s", out.Dim(fmt.Sprintf("Call again, and it is remembered: %s\nIt is kept in %s; look into it with --data.", term.Clean(again), term.Clean(st.folder))))
	return nil
}
