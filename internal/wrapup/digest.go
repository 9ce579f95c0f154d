package wrapup

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/guard"
	"github.com/recallerhq/recaller/internal/prompt"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/wrapup/answer"
	"github.com/recallerhq/recaller/internal/wrapup/evidence"
)

// summarise has the model write the conversation up. Before the model is asked, the rules' quotations are written: an
// agent that is briefed meanwhile knows what was said (V7), whether that takes a second or the hours that a provider is
// away. A section keeps them if nothing of the model's is left in it.
func (m model) summarise(ctx context.Context, w work) (recaller.StepResult, error) {
	quoted, err := m.rules.summarise(ctx, w)
	if err != nil || !heard(w.turns) {
		return quoted, err
	}
	if w.conv.Summary == nil {
		interim := quoted
		interim.Step, interim.State, interim.Reason = recaller.StepSummarise, recaller.StepPending, reasonWaiting
		if _, err := m.write(ctx, w, interim); err != nil {
			return recaller.StepResult{}, err
		}
	}
	if left := quoted.Unfinished; left != nil && !lastsWithProcess(w) {
		again := *left
		again.Reworded = true
		quoted.Unfinished = &again
	}
	var sum recaller.Summary
	var label string
	trusted, err := m.trusted(ctx, w, recaller.StepSummarise)
	if err == nil && !trusted {
		quoted.Reason = ReasonUntrusted
		return quoted, nil
	}
	if err == nil {
		err = m.fitting(func(window int) (err error) {
			sum, label, err = m.digest(ctx, w, window)
			return err
		})
	}
	if err != nil {
		quoted.Reason, err = instead(w, err)
		return quoted, err
	}
	if !lastsWithProcess(w) {
		complete(&sum, *quoted.Summary)
	}
	mask(&sum, w.tenant)
	r := quoted
	r.By, r.Prompt, r.Summary, r.Unfinished = m.Model.Model(), label, &sum, reworded(w, quoted.Unfinished, sum)
	return r, nil
}

// complete fills the empty sections of a summary from another.
func complete(s *recaller.Summary, from recaller.Summary) {
	s.Brief, s.Next = cmp.Or(s.Brief, from.Brief), cmp.Or(s.Next, from.Next)
	for _, section := range []struct {
		to   *[]string
		from []string
	}{{&s.Topics, from.Topics}, {&s.Decisions, from.Decisions}, {&s.Actions, from.Actions}, {&s.Facts, from.Facts}} {
		if len(*section.to) == 0 {
			*section.to = section.from
		}
	}
}

// mergeNote is what the model is told beside the prompt when it puts the parts of a long conversation together.
const mergeNote = "This conversation was too long to be read at once. Between <conversation> and </conversation> " +
	"there are no turns but write-ups of its parts, in their order, one a line, as JSON. Make one write-up of the whole " +
	"of them, in the same form and within the same limits."

// digest asks for a summary of the conversation. If that does not fit the model's window, it asks for summaries of its
// parts, and then for one of those.
func (m model) digest(ctx context.Context, w work, window int) (sum recaller.Summary, label string, err error) {
	told, label := prompt.For(w.tenant, prompt.Summary)
	system := told
	var texts []string
	for _, part := range evidence.Window(w.turns, window) {
		texts = append(texts, evidence.Script(part))
	}
	if len(texts) > maxParts {
		return sum, label, tooLong()
	}
	for len(texts) > 1 {
		parts := make([]recaller.Summary, len(texts))
		for i, text := range texts {
			if parts[i], err = m.part(ctx, w, recaller.Ask{System: system, Text: text}); err != nil {
				return sum, label, err
			}
		}
		texts, system = joined(parts, window), told+"\n\n"+mergeNote
	}
	sum, err = m.whole(ctx, w, recaller.Ask{System: system, Text: strings.Join(texts, "")})
	return sum, label, err
}

// part asks for the summary of a part, which only the model reads.
func (m model) part(ctx context.Context, w work, q recaller.Ask) (sum recaller.Summary, err error) {
	err = m.consult(ctx, w, recaller.StepSummarise, written(q), func(a recaller.Answer) (bad *complaint) {
		sum, bad = readSummary(a)
		return bad
	})
	return sum, err
}

// whole asks for the summary that is kept, and checks it against what was said. What the words do not carry is taken
// out. If that is most of the summary, the summary does not count.
func (m model) whole(ctx context.Context, w work, q recaller.Ask) (sum recaller.Summary, err error) {
	dropped := 0
	err = m.consult(ctx, w, recaller.StepSummarise, written(q), func(a recaller.Answer) (bad *complaint) {
		if sum, bad = readSummary(a); bad != nil {
			return bad
		}
		if bad = foreign(sum, w.turns); bad != nil {
			return bad
		}
		if sum, dropped = evidence.Trim(sum, w.reading()); dropped > size(sum) || sum.Brief == "" && lastsWithProcess(w) {
			return &complaint{ReasonUnsupported, supportNote}
		}
		return nil
	})
	if err != nil {
		return sum, err
	}
	m.Metrics.untold.Add(float64(dropped))
	sum.By = m.Model.Model()
	date(&sum, w.reading())
	return sum, nil
}

// supportNote is what the model is told when its summary says too much that nobody said.
const supportNote = "Write only what was said in the conversation, in the third person: nothing that was only asked " +
	"or planned as done, and no name, number or day that does not stand there."

// size returns how many sentences and lines a summary has.
func size(s recaller.Summary) int {
	return len(speech.Sentences(s.Brief)) + len(speech.Sentences(s.Next)) +
		len(s.Topics) + len(s.Decisions) + len(s.Actions) + len(s.Facts)
}

// mask takes secrets out of a summary. The turns were masked when they came in, but the model may have put a secret
// together from them.
func mask(s *recaller.Summary, tenant recaller.Tenant) {
	if tenant.Masking == recaller.MaskingOff {
		return
	}
	s.Brief, _ = guard.Mask(s.Brief, "")
	s.Next, _ = guard.Mask(s.Next, "")
	for _, lines := range [][]string{s.Topics, s.Decisions, s.Actions, s.Facts} {
		for i := range lines {
			lines[i], _ = guard.Mask(lines[i], "")
		}
	}
}

func written(q recaller.Ask) recaller.Ask {
	schema := answer.SummarySchema()
	q.Schema = &schema
	return q
}

func readSummary(a recaller.Answer) (recaller.Summary, *complaint) {
	sum, err := answer.Summary(a.Text, a.Cut)
	if err != nil {
		return sum, unreadable()
	}
	return sum, nil
}

// joined puts summaries of parts together as the model reads them: as many at once as fit, but two at least, so that
// there are fewer each time.
func joined(parts []recaller.Summary, maxBytes int) []string {
	var out []string
	var lines []string
	size := 0
	flush := func() {
		out = append(out, "<conversation>\n"+strings.Join(lines, "\n")+"\n</conversation>")
		lines, size = nil, 0
	}
	for _, p := range parts {
		line, _ := json.Marshal(p) // of strings, which cannot fail; it escapes what could close the fence
		if len(lines) >= 2 && size+len(line) > maxBytes {
			flush()
		}
		lines, size = append(lines, string(line)), size+len(line)
	}
	flush()
	return out
}
