package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/demo"
	"github.com/recallerhq/recaller/internal/cli/term"
	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/transcript"
)

// demoCmd is `recaller demo`.
type demoCmd struct {
	Own  bool `help:"Use our own short calls, although the development data is there"`
	Keep bool `help:"Keep the data folder, and say where it is"`
}

// Help says what it is.
func (*demoCmd) Help() string {
	return "Replays conversations into a data folder of its own, then has the callers ring back: what the agent is " +
		"told before it speaks, and five questions with what recall finds. With the development data at hand " +
		"(RECALLER_DEV_DATA, or ../shared/data) these are eight phone calls to a bank and the 45 chats of one " +
		"user; else eight calls of our own. No model, no network; nothing is left behind."
}

// Examples are lines to try.
func (*demoCmd) Examples() []string { return []string{"recaller demo", "recaller demo --own"} }

// show is what a demo plays.
type show struct {
	sources []source
	recent  bool // the calls are moved up to now
	acts    []act
}

// act is one caller who rings back.
type act struct {
	title     string
	who       client.CallerRef
	questions []string
}

// Run plays the demo.
func (c *demoCmd) Run(ctx context.Context, s *session) error {
	played, err := c.choose(s)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "recaller-demo-")
	if err != nil {
		return fmt.Errorf("make a folder for the demo: %w", err)
	}
	s.onClose(func() error {
		if c.Keep {
			s.notef("\nThe data is in %s; look further with --data %s", folder, folder)
			return nil
		}
		return os.RemoveAll(folder)
	})
	// The demo is the same wherever it runs: neither environment nor file changes it.
	cfg, err := config.Load(config.Options{Overrides: map[string]string{"data": folder, "limits-rate": "0"}})
	if err != nil {
		return err
	}
	transport, key, err := s.openData(ctx, cfg)
	if err != nil {
		return err
	}
	api, err := newClient(inProcessURL, key, transport)
	if err != nil {
		return err
	}
	if err := c.load(ctx, s, api, played); err != nil {
		return err
	}
	for _, a := range played.acts {
		if err := ringBack(ctx, s, api, a); err != nil {
			return err
		}
	}
	return nil
}

// choose takes the development data if it is there, else our own.
func (c *demoCmd) choose(s *session) (show, error) {
	folder := s.getenv("RECALLER_DEV_DATA")
	if folder == "" {
		folder = filepath.Join("..", "shared", "data")
	}
	bank := filepath.Join(folder, "harpervalley_sample.json")
	chats := filepath.Join(folder, "longmemeval_s_dev.json.gz")
	if c.Own || !readable(bank) || !readable(chats) {
		return ownShow(s.now())
	}
	open := func(name string) func() (io.ReadCloser, error) {
		return func() (io.ReadCloser, error) { return os.Open(name) }
	}
	return show{
		sources: []source{
			{name: "HarperValley, 8 calls to a bank", open: open(bank), options: transcript.Options{Format: transcript.HarperValley}},
			{name: "LongMemEval, one user's chats with an assistant", open: open(chats), options: transcript.Options{Format: transcript.LongMemEval, Question: demoUser}},
		},
		acts: []act{
			{title: "A customer of the bank rings again", who: client.CallerRef{Phone: transcript.FakePhone("Patricia Brown")}},
			{title: "The user of the chats comes back", who: client.CallerRef{ExternalID: demoUser}, questions: demoQuestions()},
		},
	}, nil
}

func readable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// demoUser is the user of LongMemEval that the demo shows: an engineer who commutes, runs, and gardens.
const demoUser = "118b2229"

// demoQuestions are the set's own question about this user, and four that reading the chats suggests.
func demoQuestions() []string {
	return []string{
		"How long is my daily commute to work?",
		"What was my personal best in the 5K run?",
		"What did I pay to have my office chair repaired?",
		"Where did we have lunch on the day trip to Santa Cruz?",
		"Which university accepted me for my master's program?",
	}
}

// ownShow returns the calls that come with the program. It moves them up to now, so that the one that broke off can be
// resumed.
func ownShow(now time.Time) (show, error) {
	var people []struct {
		Name      string `json:"name"`
		Phone     string `json:"phone"`
		Questions []struct {
			Query string `json:"query"`
		} `json:"questions"`
	}
	if err := json.Unmarshal(demo.Questions, &people); err != nil {
		return show{}, fmt.Errorf("read the demo's questions: %w", err)
	}
	played := show{recent: true, sources: []source{{
		name:    "Eight calls of three people",
		open:    func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(demo.Calls)), nil },
		options: transcript.Options{Format: transcript.Native},
	}}}
	for _, p := range people {
		a := act{title: p.Name + " rings again", who: client.CallerRef{Phone: p.Phone}}
		switch p.Phone {
		case demoCutOff:
		case demoRegular:
			for _, q := range p.Questions {
				a.questions = append(a.questions, q.Query)
			}
		default:
			continue
		}
		played.acts = append(played.acts, a)
	}
	return played, nil
}

// The people of our own calls who ring back: the one whose call broke off, and the one who has questions.
const (
	demoCutOff  = "+15550199"
	demoRegular = "+15551230177"
)

// lastCallAgo is how long before now the newest of the recent calls ended.
const lastCallAgo = 20 * time.Minute

// load keeps the conversations and waits for their write-up.
func (c *demoCmd) load(ctx context.Context, s *session, api *client.Client, played show) error {
	fmt.Fprintln(s.out, s.out.Bold("Past conversations"))
	for _, src := range played.sources {
		list, err := readAll(src)
		if err != nil {
			return err
		}
		if played.recent {
			moveUp(list, s.now().Add(-lastCallAgo))
		}
		begun := s.now()
		ids, turns, err := importAll(ctx, s, api, list)
		if err != nil {
			return err
		}
		kept := s.now()
		for _, id := range ids {
			if _, done, err := waitWrapup(ctx, api, id, wrapupWait); err != nil || !done {
				return fmt.Errorf("wait for the write-up: %w", firstOf(err, ctx.Err(), context.DeadlineExceeded))
			}
		}
		fmt.Fprintf(s.out, "  %s: %s, %s kept in %s, written up in %s\n",
			src.name, count(len(ids), "conversation"), count(turns, "turn"), brief(kept.Sub(begun)),
			brief(s.now().Sub(kept)))
	}
	return nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func readAll(src source) ([]transcript.Conversation, error) {
	var list []transcript.Conversation
	err := src.each(func(conv transcript.Conversation) error {
		list = append(list, conv)
		return nil
	})
	return list, err
}

// moveUp moves conversations in time together, by whole weeks, so that the last one ends before end and their weekdays
// stay true. One that broke off names no day, and ends at end.
func moveUp(list []transcript.Conversation, end time.Time) {
	const week = 7 * 24 * time.Hour
	var last time.Time
	for _, conv := range list {
		if conv.EndedAt.After(last) {
			last = conv.EndedAt
		}
	}
	weeks := (end.Sub(last) / week) * week
	if last.Add(weeks).After(end) {
		weeks -= week
	}
	for i := range list {
		by := weeks
		if list[i].Status == recaller.Failed {
			by = end.Sub(list[i].EndedAt).Truncate(time.Second)
		}
		list[i].StartedAt = list[i].StartedAt.Add(by)
		list[i].EndedAt = list[i].EndedAt.Add(by)
		for j := range list[i].Turns {
			if at := &list[i].Turns[j].At; !at.IsZero() {
				*at = at.Add(by)
			}
		}
	}
}

func importAll(
	ctx context.Context, s *session, api *client.Client, list []transcript.Conversation,
) (ids []string, turns int, err error) {
	bar := s.err.Progress("Replaying", len(list))
	defer bar.Done()
	for _, conv := range list {
		kept, err := api.ImportConversation(ctx, pastOf(conv, true, s.now()))
		if err != nil {
			return nil, 0, err
		}
		ids = append(ids, kept.Conversation.ID)
		turns += len(conv.Turns)
		bar.Step()
	}
	return ids, turns, nil
}

// ringBack makes a caller call, and shows what the agent is told, and what recall finds.
func ringBack(ctx context.Context, s *session, api *client.Client, a act) error {
	begun := s.now()
	started, err := api.StartConversation(ctx, client.StartRequest{Caller: a.who})
	took := s.now().Sub(begun)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "\n%s %s\n\n", s.out.Bold(a.title),
		s.out.Dim(fmt.Sprintf("(briefed in %s, %d tokens)", brief(took), started.Briefing.Tokens)))
	writeBriefing(s.out, started.Briefing)
	for _, question := range a.questions {
		found, err := api.Recall(ctx, started.Caller.ID,
			client.RecallRequest{Query: question, Limit: 1, Kinds: []recaller.HitKind{recaller.HitTurn}})
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "\n%s %s\n", s.out.Accent("? "+question), s.out.Dim(fmt.Sprintf("(%.1f ms)", found.TookMS)))
		for _, hit := range found.Results {
			writeAnswer(s.out, question, hit)
		}
	}
	_, err = api.EndConversation(ctx, started.Conversation.ID, client.EndRequest{Reason: "hangup"})
	return err
}

// writeAnswer shows a result as an answer: the sentence that has most of the question's words, and where it stands.
func writeAnswer(out term.Out, question string, hit client.RecallResult) {
	text := term.Short(passage(term.Clean(hit.Text), question, 3), 3*out.Width)
	fmt.Fprintf(out, "  %s\n", strings.ReplaceAll(term.Wrap(text, out.Width-2, ""), "\n", "\n  "))
	fmt.Fprintf(out, "  %s\n", out.Dim("— "+sourceOf(hit)))
}
