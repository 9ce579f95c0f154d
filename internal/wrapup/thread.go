package wrapup

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agreement"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/prompt"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/wrapup/evidence"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
	"github.com/recallerhq/recaller/internal/wrapup/summary"
)

// Bounds of a thread.
const (
	threadMessages = 10 // the last ones, of which its summary is made (L3)
	fewestMessages = 3
	longStretch    = 60  // turns after which one of its conversations ends and is written up, though the chat goes on
	threadWords    = 60  // of a summary by rules
	longAnswer     = 240 // bytes of what an agent says that is an essay, and no word in a conversation
	titleRunes     = 60
	titleWords     = 7
	leastTitle     = 3 // words
)

// Threads are what the summary of a thread needs.
type Threads interface {
	Thread(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Thread, error)
	// ChangeThread leaves a summary out that knows less than the present one.
	ChangeThread(
		ctx context.Context, tenant recaller.TenantID, id recaller.ThreadID, p recaller.ThreadPatch,
	) (recaller.Thread, error)
	// Stretches returns the last conversations of a thread, newest first.
	Stretches(
		ctx context.Context, tenant recaller.TenantID, t recaller.Thread, most int,
	) ([]recaller.Conversation, error)
	// OpenSteps adds steps to a conversation that goes on, unless it has them.
	OpenSteps(
		ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, steps ...recaller.Step,
	) error
	// Ahead reads ahead what the next prompt of a thread is made of.
	Ahead(ctx context.Context, tenant recaller.TenantID, ref string) error
}

// Thread does a job of kind recaller.JobThread (L3): it summarises the thread anew if that is due, remembers what the
// rules find in what was said, and ends a conversation of it that has become long, so that it is written up. While the
// model is away the rules' summary stands in. A thread that is gone needs nothing.
func (s *Service) Thread(ctx context.Context, j recaller.Job) error {
	for {
		t, err := s.Threads.Thread(ctx, j.Tenant, j.Subject)
		if errors.Is(err, recaller.NotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		again, err := s.threadOnce(ctx, j.Tenant, t)
		if err != nil {
			return err
		}
		if !again {
			s.ahead(ctx, j.Tenant, t)
			return nil
		}
	}
}

// ahead has what the thread's next prompt needs read while nobody waits for it.
func (s *Service) ahead(ctx context.Context, tenant recaller.TenantID, t recaller.Thread) {
	if err := s.Threads.Ahead(ctx, tenant, cmp.Or(t.ExternalID, string(t.ID))); err != nil { // the prompt reads it itself
		s.Log.DebugContext(ctx, "nothing is read ahead", "tenant", tenant, "kind", string(recaller.KindOf(err)))
	}
}

// threadOnce does the job once. again says that more was said meanwhile, so that the next summary is due.
func (s *Service) threadOnce(ctx context.Context, tenant recaller.TenantID, t recaller.Thread) (again bool, err error) {
	stretches, err := s.Threads.Stretches(ctx, tenant, t, threadMessages)
	if err != nil || len(stretches) == 0 {
		return false, err
	}
	if live := stretches[0]; live.Status == recaller.Active {
		if err := s.sofar(ctx, tenant, live); err != nil {
			return false, err
		}
	}
	if t, err = s.rolling(ctx, tenant, t, stretches); err != nil {
		return false, err
	}
	if live := stretches[0]; live.Status == recaller.Active && live.Turns >= longStretch {
		if err := s.EndStretch(ctx, tenant, live.ID); err != nil {
			return false, err
		}
	}
	is, err := s.Threads.Thread(ctx, tenant, string(t.ID))
	if errors.Is(err, recaller.NotFound) {
		return false, nil
	}
	return err == nil && is.SummaryDue() && is.Exchanges > t.Exchanges, err
}

// sofar remembers what the rules find in a conversation that goes on. What its wrap-up finds takes the place of it.
func (s *Service) sofar(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) error {
	if err := s.Threads.OpenSteps(ctx, tenant, conv, recaller.StepSummarise, recaller.StepExtract); err != nil {
		return err
	}
	w, err := s.read(ctx, tenant, conv)
	if err != nil {
		return err
	}
	r, err := s.remembered(ctx, w)
	if err != nil || r.State != recaller.StepPending {
		return err
	}
	r.Step, r.Remembers, r.Reason = recaller.StepExtract, true, reasonGoesOn
	_, err = s.write(ctx, w, r)
	return err
}

// reasonGoesOn is what a step says of itself while the conversation goes on.
const reasonGoesOn = "the conversation goes on"

// rolling makes the summary of a thread anew if that is due, or if something was forgotten since it was made.
func (s *Service) rolling(
	ctx context.Context, tenant recaller.TenantID, t recaller.Thread, stretches []recaller.Conversation,
) (recaller.Thread, error) {
	gone, err := s.Store.Forgotten(ctx, tenant, t.Caller)
	if err != nil {
		return t, err
	}
	is := t.Summary
	stale := is != nil && forgotten.Since(gone, is.At)
	if !t.SummaryDue() && !stale && (is == nil || !is.Interim) {
		return t, nil
	}
	w, err := s.lastMessages(ctx, tenant, stretches, forgotten.New(gone))
	if err != nil {
		return t, err
	}
	if len(w.turns) < fewestMessages {
		if is == nil {
			return t, nil
		}
		w.turns = nil // nothing is left of what it was made of
	}
	text, by, title, cause := s.chat(ctx, w)
	sum := &recaller.ThreadSummary{Text: text, By: by, Exchanges: t.Exchanges, At: s.Now(), Interim: cause != nil}
	p := recaller.ThreadPatch{Summary: sum, Found: true}
	if t.Title == "" || stale || is != nil && is.Interim { // else it keeps its title
		p.Title = &title
	}
	t, err = s.Threads.ChangeThread(ctx, tenant, t.ID, p)
	if err == nil {
		s.Log.Info("thread summarised", "tenant", tenant, "thread", t.ID, "exchanges", sum.Exchanges, "by", by,
			"messages", len(w.turns))
	}
	return t, errors.Join(err, cause)
}

// lastMessages returns the last messages of a thread as a conversation of their own, numbered from 0.
func (s *Service) lastMessages(
	ctx context.Context, tenant recaller.TenantID, stretches []recaller.Conversation, gone forgotten.View,
) (work, error) {
	w, err := s.about(ctx, tenant, stretches[0])
	if err != nil {
		return w, err
	}
	for _, conv := range stretches {
		turns, err := s.Words.Turns(ctx, tenant, conv)
		if err != nil {
			return w, err
		}
		turns = slices.DeleteFunc(gone.Blank(conv.ID, turns), func(t recaller.Turn) bool { return t.Text == "" })
		w.turns = slices.Concat(turns[max(0, len(turns)-threadMessages+len(w.turns)):], w.turns)
		if len(w.turns) >= threadMessages {
			break
		}
	}
	for i := range w.turns {
		w.turns[i].Number = i
	}
	base := w.startedAt()
	if len(w.turns) > 0 {
		base = w.turns[0].At.In(w.zone)
	}
	w.reading = sync.OnceValue(func() reading.Reading { return reading.Of(w.turns, base, w.dayFirst) })
	w.agreed = sync.OnceValue(func() []recaller.Act { return agreement.Find(w.reading()) })
	return w, nil
}

// chat writes the summary of a thread's last messages, with the model if there is one. cause is why the model could not,
// if it may later.
func (s *Service) chat(ctx context.Context, w work) (text, by, title string, cause error) {
	if len(w.turns) == 0 {
		return "", By, "", nil
	}
	text, by, title = s.quotedChat(w)
	if s.Model == nil || !heard(w.turns) {
		return text, by, title, nil
	}
	m := model{s, rules{s}}
	trusted, err := m.trusted(ctx, w, recaller.StepSummarise)
	if err == nil && !trusted {
		return text, by, title, nil
	}
	var sum recaller.Summary
	if err == nil {
		system, _ := prompt.For(w.tenant, prompt.Thread)
		sum, err = m.whole(ctx, w, recaller.Ask{System: system, Text: evidence.Script(w.turns)})
	}
	if err != nil {
		_, cause = instead(w, err)
		return text, by, title, cause
	}
	mask(&sum, w.tenant)
	if len(sum.Topics) > 0 {
		title = shortTitle(sum.Topics[0])
	}
	return cmp.Or(sum.Brief, text), sum.By, title, nil
}

// quotedChat summarises by rules: it quotes, but not the essays of an agent: of these a sentence tells nothing. Nothing is
// quoted where the words may not outlive the process.
func (s *Service) quotedChat(w work) (text, by, title string) {
	if lastsWithProcess(w) || !heard(w.turns) {
		return "", By, ""
	}
	short := slices.DeleteFunc(slices.Clone(w.turns), func(t recaller.Turn) bool {
		return t.Speaker == recaller.Assistant && len(t.Text) > longAnswer
	})
	for i := range short {
		short[i].Number = i
	}
	said := reading.Of(short, short[0].At.In(w.zone), w.dayFirst)
	acts := func() []recaller.Act { return agreement.Find(said) }
	sum := summary.Write(said, summary.Options{Typed: true, MaxWords: threadWords, Acts: acts})
	text = sum.Brief
	for _, line := range slices.Concat(sum.Decisions, sum.Actions) {
		if !strings.Contains(text, line) {
			text += " " + line
			break
		}
	}
	return strings.ReplaceAll(text, "Caller: “", "User: “"), By, titleOf(w.turns)
}

// titleOf makes a title of what the user said first, greetings aside.
func titleOf(turns []recaller.Turn) string {
	for _, t := range turns {
		if t.Speaker != recaller.User {
			continue
		}
		for _, sentence := range speech.Sentences(t.Text) {
			clause, _, _ := strings.Cut(sentence.Text, ", ")
			for _, text := range []string{clause, sentence.Text} {
				if len(strings.Fields(text)) >= leastTitle {
					return shortTitle(text)
				}
			}
		}
	}
	return ""
}

// shortTitle returns a text as a title, or its first words.
func shortTitle(text string) string {
	words := strings.Fields(strings.Trim(text, " .!?,;\"“”"))
	title, cut := strings.Join(words[:min(len(words), titleWords)], " "), len(words) > titleWords
	for r := []rune(title); len(r) > titleRunes; r = []rune(title) {
		i := strings.LastIndexByte(title, ' ')
		if i < 0 {
			return string(r[:titleRunes])
		}
		title, cut = title[:i], true
	}
	if cut {
		title += " …"
	}
	return title
}
