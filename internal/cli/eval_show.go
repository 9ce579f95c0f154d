package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/recallerhq/recaller/internal/cli/term"
	"github.com/recallerhq/recaller/internal/eval"
)

// show writes the result: for people, or as JSON.
func (c *evalFlags) show(s *session, r eval.Result) error {
	if c.Output != "" {
		text, err := indented(r)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Clean(c.Output), text, 0o644); err != nil { //nolint:gosec // numbers, for anyone to read
			return fmt.Errorf("write the result: %w", err)
		}
		s.notef("wrote %s", c.Output)
	}
	if c.JSON {
		return s.json(r)
	}
	writeResult(s.out, r)
	if c.Misses {
		writeMisses(s.out, r.Recall, s.globals.Verbose)
	}
	return nil
}

func writeResult(out term.Out, r eval.Result) {
	fmt.Fprintf(out, "%s, %s\n", out.Bold(term.Clean(r.Data.File)), count(r.Recall.All.N, "question"))
	fmt.Fprintf(out, "%s\n\n", out.Dim(leftOut(r.Data.Notes)))
	reports := append([]eval.Report{r.Recall}, r.Baselines...)
	fmt.Fprintln(out, out.Bold("Conversations"))
	writeScores(out, reports, false)
	if r.Recall.All.TurnN > 0 {
		fmt.Fprintf(out, "\n%s\n", out.Bold("Turns"))
		writeScores(out, reports, true)
	}
	if len(r.Ablation) > 0 {
		fmt.Fprintf(out, "\n%s\n", out.Bold("Recall without"))
		writeAblation(out, r)
	}
	if r.Answers != nil {
		fmt.Fprintf(out, "\n%s\n", out.Bold("Answers"))
		writeAnswers(out, r.Answers)
	}
	fmt.Fprintln(out)
	for _, line := range costs(r) {
		fmt.Fprintln(out, out.Dim(line))
	}
}

// leftOut says what of a file was not measured.
func leftOut(n eval.Notes) string {
	say := func(lead string, parts ...string) string {
		parts = slices.DeleteFunc(parts, func(p string) bool { return strings.HasPrefix(p, "0 ") })
		if len(parts) == 0 {
			return ""
		}
		return lead + strings.Join(parts, ", ")
	}
	questions := say("left out: ", fmt.Sprintf("%d abstention", n.Abstention),
		fmt.Sprintf("%d adversarial", n.Adversarial), fmt.Sprintf("%d without evidence", n.WithoutEvidence),
		fmt.Sprintf("%d blank or too long", n.Unaskable))
	evidence := say("evidence: ", fmt.Sprintf("%d unreadable", n.Unreadable),
		fmt.Sprintf("%d naming nothing that is there", n.Unknown))
	switch {
	case questions == "" && evidence == "":
		return "nothing left out"
	case questions == "" || evidence == "":
		return questions + evidence
	default:
		return questions + "; " + evidence
	}
}

// writeScores writes a table of the metrics of conversations or turns: a line of means, and below it a line of
// intervals.
func writeScores(out term.Out, reports []eval.Report, turns bool) {
	columns := []term.Column{{Title: ""}, {Title: "n", Right: true}}
	var shown []eval.Metric
	for _, m := range eval.Metrics() {
		if m.OfTurns() == turns && m != eval.OfficialNDCG {
			shown = append(shown, m)
			columns = append(columns, term.Column{Title: strings.TrimPrefix(m.String(), "turn_"), Right: true})
		}
	}
	var rows [][]string
	add := func(name string, s eval.Scores) {
		n := s.N
		if turns {
			n = s.TurnN
		}
		means, intervals := []string{name, strconv.Itoa(n)}, []string{"", ""}
		if n == 0 {
			return
		}
		for _, m := range shown {
			means = append(means, share(s.Of[m].Value))
			intervals = append(intervals, interval(s.Of[m]))
		}
		rows = append(rows, means, intervals)
	}
	for i, r := range reports {
		add(r.Name, r.All)
		if i > 0 {
			continue
		}
		for _, kind := range slices.Sorted(maps.Keys(r.ByType)) {
			add("· "+named(kind), r.ByType[kind])
		}
	}
	out.Table(columns, rows)
}

// named returns the name of a type of question in tables.
func named(kind string) string {
	return cmp.Or(term.Clean(kind), "(no type)")
}

// share writes a share as tables do: ".973", "1.000".
func share(v float64) string { return strings.TrimPrefix(strconv.FormatFloat(v, 'f', 3, 64), "0") }

func interval(e eval.Estimate) string {
	short := func(v float64) string { return strings.TrimPrefix(strconv.FormatFloat(v, 'f', 2, 64), "0") }
	return short(e.Low) + "–" + short(e.High)
}

// writeAblation writes what leaving out each ingredient changes, with the interval of the difference.
func writeAblation(out term.Out, r eval.Result) {
	shown := []eval.Metric{eval.Any1, eval.Any5, eval.All5, eval.NDCG10, eval.MRR}
	if r.Recall.All.TurnN > 0 {
		shown = append(shown, eval.TurnRecall5, eval.TurnRecall10, eval.TurnAny10)
	}
	columns := []term.Column{{Title: ""}}
	for _, m := range shown {
		columns = append(columns, term.Column{Title: m.String(), Right: true})
	}
	whole := []string{"(nothing)"}
	for _, m := range shown {
		whole = append(whole, share(r.Recall.All.Of[m].Value))
	}
	rows := [][]string{whole}
	for _, w := range r.Ablation {
		means, intervals := []string{w.Name}, []string{""}
		for _, m := range shown {
			d := w.Minus.Of[m]
			mark := " "
			if d.Low > 0 || d.High < 0 {
				mark = "*"
			}
			means = append(means, fmt.Sprintf("%+.3f%s", d.Value, mark))
			intervals = append(intervals, fmt.Sprintf("%+.2f…%+.2f", d.Low, d.High))
		}
		rows = append(rows, means, intervals)
	}
	out.Table(columns, rows)
	fmt.Fprintln(out, out.Dim("* the interval of the difference does not hold zero; of a hundred such intervals five "+
		"leave it out by chance"))
}

func writeAnswers(out term.Out, a *eval.Answers) {
	rows := [][]string{{"all", strconv.Itoa(a.All.N), share(a.All.Value), interval(a.All.Estimate)}}
	if a.All.N == 0 {
		rows[0] = []string{"all", "0", "–", "–"}
	}
	for _, kind := range slices.Sorted(maps.Keys(a.ByType)) {
		t := a.ByType[kind]
		rows = append(rows, []string{"· " + named(kind), strconv.Itoa(t.N), share(t.Value), interval(t.Estimate)})
	}
	out.Table([]term.Column{{}, {Title: "n", Right: true}, {Title: "right", Right: true}, {Title: "95 %", Right: true}},
		rows)
	fmt.Fprintln(out, out.Dim(fmt.Sprintf("answered by %s from %d turns, judged by %s; %d without an answer or a "+
		"judgement; %d tokens in, %d out",
		term.Clean(a.Model), a.K, term.Clean(a.Judge), a.Failed, a.TokensIn, a.TokensOut)))
}

// costs says what the indexes took, and how far to trust the times.
func costs(r eval.Result) []string {
	c := r.Recall.Cost
	const kib = 1 << 10
	lines := []string{
		fmt.Sprintf("%s: %.0f KiB each (largest %.0f), built in %.1f ms (p99 %.1f); a query %.2f ms (p99 %.2f)",
			indexes(c.Indexes),
			c.Bytes.P50/kib, c.Bytes.Max/kib, c.BuildMS.P50, c.BuildMS.P99, c.QueryMS.P50, c.QueryMS.P99),
		fmt.Sprintf("recaller %s, %s, %s", r.Version, count(r.Machine.Cores, "core"), r.Time.Format("2 Jan 2006")),
	}
	if r.Setup.Workers > 1 {
		lines[0] += fmt.Sprintf("; with %d at once: --workers 1 for clean times", r.Setup.Workers)
	}
	return lines
}

func indexes(n int) string {
	if n == 1 {
		return "1 index"
	}
	return strconv.Itoa(n) + " indexes"
}

// writeMisses lists the questions without a right conversation among the first five. It shows no words but those of the
// questions, if they were asked for.
func writeMisses(out term.Out, r eval.Report, words bool) {
	var text bytes.Buffer
	missed := 0
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if !o.Missed(5) {
			continue
		}
		missed++
		fmt.Fprintf(&text, "%s  %s  conversations %s  turns %s\n", term.Clean(o.ID), named(o.Type), ranks(o.Sessions),
			ranks(o.Turns))
		if words {
			fmt.Fprintf(&text, "    %s\n", out.Dim(term.Clean(o.Text)))
		}
	}
	fmt.Fprintf(out, "\n%s\n%s", out.Bold(fmt.Sprintf("Missed: %d of %d", missed, len(r.Outcomes))), text.String())
}

// ranks returns the places of gold; "–" for what was not found.
func ranks(gold []eval.Gold) string {
	if len(gold) == 0 {
		return "not marked"
	}
	places := make([]string, len(gold))
	for i, g := range gold {
		places[i] = "–"
		if g.Rank > 0 {
			places[i] = strconv.Itoa(g.Rank)
		}
	}
	return strings.Join(places, ",")
}
