package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// The operations that are measured, as an agent's platform would ask for them.

func (b *bench) caller(i int) string { return string(b.plan.callerID(i)) }

// next is another caller than all before.
func (b *bench) next() int {
	b.turn++
	return b.plan.richAt(b.turn)
}

// errDegraded says that an answer came within its deadline, but without the memory.
var errDegraded = errors.New("a briefing was degraded")

func whole(answer []byte) error {
	if bytes.Contains(answer, []byte(`"degraded":true`)) {
		return errDegraded
	}
	return nil
}

// tolerant counts degraded answers instead of failing on them: they are answers, and their time counts.
func (b *bench) tolerant(do func(i int) error) func(i int) error {
	return func(i int) error {
		err := do(i)
		if errors.Is(err, errDegraded) {
			b.poor++
			return nil
		}
		return err
	}
}

// degraded puts a row in that tells how many answers of a part were degraded.
func (b *bench) degraded(part string) {
	b.rep.put(row{Part: part, Name: "answers degraded (not read within 250 ms)", N: b.poor}, none())
	b.poor = 0
}

func callerBriefing(t target, id string) error {
	out, err := t.do("GET", "/v1/callers/"+id+"/briefing", nil, "")
	return errors.Join(err, whole(out))
}

// start begins a conversation with a known caller and returns its id.
func start(t target, number string) (string, error) {
	out, err := t.do("POST", "/v1/conversations", []byte(`{"caller":{"phone":"`+number+`"}}`), "")
	if err != nil {
		return "", err
	}
	id, err := idIn(out)
	return id, errors.Join(err, whole(out))
}

// idIn finds the conversation's id without decoding all: it is the first in the answer.
func idIn(answer []byte) (string, error) {
	const mark = `"id":"`
	if _, rest, ok := bytes.Cut(answer, []byte(mark)); ok {
		if id, _, ok := bytes.Cut(rest, []byte(`"`)); ok && len(id) > 0 {
			return string(id), nil
		}
	}
	return "", fmt.Errorf("no id in the answer: %.200s", answer)
}

func addTurn(t target, conversation, text, once string) error {
	_, err := t.do("POST", "/v1/conversations/"+conversation+"/turns", jsonOf(map[string]string{"speaker": string(recaller.User), "text": text}), once)
	return err
}

func end(t target, conversation string) error {
	_, err := t.do("POST", "/v1/conversations/"+conversation+"/end", []byte(`{"duration_seconds":60}`), "")
	return err
}

func conversationBriefing(t target, conversation string) error {
	out, err := t.do("GET", "/v1/conversations/"+conversation+"/briefing", nil, "")
	return errors.Join(err, whole(out))
}

func recall(t target, caller, query string) error {
	out, err := t.do("POST", "/v1/callers/"+caller+"/recall", jsonOf(map[string]string{"query": query}), "")
	if err == nil && !bytes.Contains(out, []byte(`"kind":`)) {
		return fmt.Errorf("nothing was recalled for %q", query)
	}
	return err
}

func storeMemory(t target, caller, key, value string) error {
	_, err := t.do("POST", "/v1/callers/"+caller+"/memories", jsonOf(map[string]string{"type": "fact", "key": key, "value": value}), "")
	return err
}

// jsonOf encodes strings, which always works.
func jsonOf(v map[string]string) []byte {
	out, _ := json.Marshal(v)
	return out
}

// endAll ends conversations and waits until they are written up, so that the next row has the machine for itself.
func (b *bench) endAll(ctx context.Context, d dialer, conversations []string) error {
	if len(conversations) == 0 {
		return nil
	}
	t, err := d()
	if err != nil {
		return err
	}
	defer t.close()
	before, err := jobsDone(t)
	if err != nil {
		return err
	}
	_, _, err = many(ctx, d, 32, len(conversations), 0, func(t target, _, i int) error { return end(t, conversations[i]) })
	if err != nil {
		return err
	}
	last, began := before, time.Now()
	for time.Since(began) < stuck {
		done, err := jobsDone(t)
		if err != nil || done-before >= len(conversations) {
			return err
		}
		if done > last {
			last, began = done, time.Now()
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return fmt.Errorf("%d of %d conversations are not written up, and none was for %s", len(conversations)-last+before, len(conversations), stuck)
}

// stuck is how long no conversation is written up before a run gives up: long ones take a while each.
const stuck = 2 * time.Minute

// jobsDone reads from the metrics how many wrap-ups were done.
func jobsDone(t target) (int, error) {
	out, err := t.do("GET", "/metrics", nil, "")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "recaller_jobs_total{") && strings.Contains(line, `result="done"`) && strings.Contains(line, `kind="wrapup"`) {
			f := strings.Fields(line)
			n, err := strconv.ParseFloat(f[len(f)-1], 64)
			return int(n), err
		}
	}
	return 0, nil
}

// quiet waits until a server that was just started has nothing to do any more: jobs that a crash left.
func quiet(ctx context.Context, t target) error {
	for last := -1; ; {
		n, err := jobsDone(t)
		if err != nil || n == last {
			return err
		}
		last = n
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// byPhone asks for a caller as a platform would that knows only the number.
func byPhone(t target, number string) error {
	out, err := t.do("GET", "/v1/callers?phone="+url.QueryEscape(number), nil, "")
	if err == nil && !bytes.Contains(out, []byte(`"id":`)) {
		return fmt.Errorf("a caller is not known")
	}
	return err
}
