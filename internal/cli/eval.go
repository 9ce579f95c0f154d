package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"github.com/recallerhq/recaller/internal/cli/term"
	"github.com/recallerhq/recaller/internal/eval"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/recall/index"
)

// evalCmd is `recaller eval`.
type evalCmd struct {
	LongMemEval evalLongMemEvalCmd `cmd:"" name:"longmemeval" help:"Measure on a file of LongMemEval's"`
	LoCoMo      evalLoCoMoCmd      `cmd:"" name:"locomo" help:"Measure on a file of LoCoMo's"`
	Native      evalNativeCmd      `cmd:"" name:"native" help:"Measure on a file of your own questions"`
	Search      evalSearchCmd      `cmd:"" name:"search" help:"Measure the search over all conversations on a file of your own"`
}

// Help says what it is.
func (*evalCmd) Help() string {
	return "Reads conversations and questions of which it is known where their answers were said, asks recall each " +
		"question, and tells how often and how far up the right conversations and turns came, by type of question, " +
		"with 95 % confidence intervals. No server, no data folder, no network. docs/recall.md explains the " +
		"metrics."
}

// evalFlags are the flags of every kind of measurement.
type evalFlags struct {
	File      string             `arg:"" help:"The questions: JSON, plain or gzipped"`
	Ablate    bool               `help:"Leave out each ingredient of the ranking in turn, and say what it is worth"`
	Baselines bool               `help:"Measure plain BM25 over conversations and over turns too"`
	Misses    bool               `help:"List the questions of which a right conversation is not among the first 5; with --verbose their words"`
	Limit     int                `short:"n" placeholder:"N" help:"Most questions"`
	Workers   int                `placeholder:"N" help:"How many to work on at once (as many as cores); 1 for clean times"`
	Weight    map[string]float64 `placeholder:"NAME=VALUE" help:"Change a weight of the ranking, as --json names them"`
	Answer    bool               `help:"Have the configured model answer from what was found, and judge the answers; excerpts are sent to it"`
	Judge     string             `placeholder:"MODEL" help:"Another model of the same provider that judges"`
	Turns     int                `short:"k" default:"10" placeholder:"N" help:"How many turns the answering model is shown"`
	Embedder  bool               `help:"Have the configured embedder compare too, as it does where it serves recall; all turns and questions are sent to it"`
	Table     bool               `help:"Compare by the built-in table alone, without the built-in model that reads dialogues"`
	JSON      bool               `name:"json" help:"Print the whole result as JSON, with every question's ranks"`
	Output    string             `short:"o" placeholder:"FILE" help:"Write that JSON to a file"`
}

// evalLongMemEvalCmd is `recaller eval longmemeval FILE`.
type evalLongMemEvalCmd struct {
	evalFlags
}

// Help says what it is.
func (*evalLongMemEvalCmd) Help() string {
	return "Takes longmemeval_s.json, longmemeval_m.json or longmemeval_oracle.json as they are published. Questions " +
		"without an answer in the conversations (abstention) are left out, as they are by the benchmark's own code."
}

// Examples are lines to try.
func (*evalLongMemEvalCmd) Examples() []string {
	return []string{
		"recaller eval longmemeval longmemeval_s.json",
		"recaller eval longmemeval longmemeval_s.json.gz --baselines --ablate -o result.json",
		"# clean times",
		"recaller eval longmemeval longmemeval_s.json --workers 1",
	}
}

// Run measures.
func (c *evalLongMemEvalCmd) Run(ctx context.Context, s *session) error {
	return c.run(ctx, s, eval.LongMemEval, eval.Reading{})
}

// evalLoCoMoCmd is `recaller eval locomo FILE`.
type evalLoCoMoCmd struct {
	evalFlags
	AllCategories bool `help:"The adversarial questions too, which have no answer"`
}

// Help says what it is.
func (*evalLoCoMoCmd) Help() string {
	return "Takes locomo10.json as it is published. Both speakers are people, told apart by their names; a photo is " +
		"its caption; the questions are asked a day after the last session. Questions that do not say where their " +
		"answer is are left out, and evidence that cannot be read is counted."
}

// Examples are lines to try.
func (*evalLoCoMoCmd) Examples() []string {
	return []string{
		"recaller eval locomo locomo10.json", "recaller eval locomo locomo10.json --all-categories --misses",
	}
}

// Run measures.
func (c *evalLoCoMoCmd) Run(ctx context.Context, s *session) error {
	return c.run(ctx, s, eval.LoCoMo, eval.Reading{AllCategories: c.AllCategories})
}

// evalNativeCmd is `recaller eval native FILE`.
type evalNativeCmd struct {
	evalFlags
}

// Help says what it is.
func (*evalNativeCmd) Help() string {
	return "Takes a file that says of people what they said when, and what to ask about it; docs/recall.md shows how " +
		"it is written. Measure on your own callers' questions before you change anything."
}

// Examples are lines to try.
func (*evalNativeCmd) Examples() []string {
	return []string{"recaller eval native questions.json", "recaller eval native questions.json --misses --verbose"}
}

// Run measures.
func (c *evalNativeCmd) Run(ctx context.Context, s *session) error {
	return c.run(ctx, s, eval.Native, eval.Reading{})
}

func (c *evalFlags) run(ctx context.Context, s *session, format eval.Format, how eval.Reading) error {
	opts, err := c.recallOptions()
	opts.Dialogue = !c.Table
	if err == nil && c.Embedder {
		opts.Meaning, err = s.likeness()
	}
	if err != nil {
		return err
	}
	answers, err := c.answering(s)
	if err != nil {
		return err
	}
	file, err := eval.Open(c.File, format, how)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	if err := c.claimOutput(); err != nil {
		return err
	}
	o := eval.Options{Workers: cmp.Or(c.Workers, runtime.GOMAXPROCS(0)), Limit: c.Limit, Now: s.now, Answers: answers}
	result, err := c.measure(ctx, s, file, opts, o)
	if err != nil {
		return err
	}
	if err := c.show(s, result); err != nil {
		return err
	}
	return unanswered(result.Answers)
}

// unanswered returns an error if answers were asked for and none could be judged.
func unanswered(a *eval.Answers) error {
	switch {
	case a == nil || a.All.N > 0:
		return nil
	case a.Failed == 0:
		return failf("--answer: no question of the file has an answer")
	default:
		return &failure{
			code: ExitFailed, msg: "--answer: none of " + count(a.Failed, "question") + " was answered and judged",
			hint: "`recaller doctor` tries the model",
		}
	}
}

// recallOptions returns recall's options, with the weights that the flags change.
func (c *evalFlags) recallOptions() (recall.Options, error) {
	switch {
	case c.Limit < 0:
		return recall.Options{}, usagef("--limit: expected a number from 1")
	case c.Workers < 0:
		return recall.Options{}, usagef("--workers: expected a number from 1")
	case c.Turns < 1 || c.Turns > eval.Hits:
		return recall.Options{}, usagef("--turns: expected a number from 1 to %d", eval.Hits)
	case c.Judge != "" && !c.Answer:
		return recall.Options{}, usagef("--judge needs --answer")
	case c.Misses && c.JSON:
		return recall.Options{}, usagef("--misses lists beside the tables; --json has every question's ranks without " +
			"it")
	}
	if len(c.Weight) == 0 {
		return recall.Options{}, nil
	}
	w, err := eval.Weigh(index.DefaultWeights(), c.Weight)
	if err != nil {
		return recall.Options{}, usagef("--weight: %v; --json shows the names", err)
	}
	return recall.Options{Weights: w}, nil
}

// answering returns the models that answer and judge; nil if none is asked for.
func (c *evalFlags) answering(s *session) (*eval.Answering, error) {
	if !c.Answer {
		return nil, nil
	}
	model, ok := s.model()
	if !ok {
		if _, err := s.config(); err != nil {
			return nil, err
		}
		return nil, &failure{
			code: ExitFailed, msg: "--answer needs a model, and none is configured",
			hint: "set RECALLER_LLM_BASE_URL and RECALLER_LLM_MODEL; `recaller doctor` tries them",
		}
	}
	judge := model
	if c.Judge != "" {
		judge, _ = s.modelNamed(c.Judge) // there is one
	}
	return &eval.Answering{Model: model, Judge: judge, K: c.Turns}, nil
}

// claimOutput makes sure before the work that the result can be written, and does not overwrite the questions.
func (c *evalFlags) claimOutput() error {
	if c.Output == "" {
		return nil
	}
	questions, err := os.Stat(filepath.Clean(c.File))
	if err != nil {
		return fmt.Errorf("read the questions: %w", err)
	}
	if there, err := os.Stat(filepath.Clean(c.Output)); err == nil && os.SameFile(there, questions) {
		return usagef("--output: %s holds the questions, and would be overwritten: name another file",
			term.Clean(c.Output))
	}
	file, err := os.OpenFile(filepath.Clean(c.Output), os.O_WRONLY|os.O_CREATE, 0o644) //nolint:gosec // numbers, for anyone to read
	if err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return file.Close()
}

// measure asks all questions of all methods, while a bar shows the progress.
func (c *evalFlags) measure(
	ctx context.Context, s *session, file *eval.File, opts recall.Options, o eval.Options,
) (eval.Result, error) {
	methods := []eval.Method{eval.Recall("recall", opts)}
	if c.Baselines {
		methods = append(methods, eval.SessionBM25(), eval.TurnBM25())
	}
	plain := len(methods)
	if c.Ablate {
		methods = append(methods, eval.Ablations(opts)...)
	}
	const steps = 100
	bar, shown := s.err.Progress("measuring", steps), 0
	o.Done = func() {
		for ; shown < int(steps*file.Share()); shown++ {
			bar.Step()
		}
	}
	result := eval.Result{
		Format: eval.ResultVersion, Version: s.version, Commit: commit(), Time: s.now().UTC(),
		Machine: eval.Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.NumCPU()},
		Setup:   eval.SetupOf(opts, o, file.Reading()),
	}
	reports, err := eval.Run(ctx, file.Cases(), methods, o)
	bar.Done()
	if err != nil {
		return result, err
	}
	if result.Data, err = file.Data(); err != nil {
		return result, err
	}
	result.Recall, result.Baselines = reports[0], reports[1:plain]
	result.Ablation = eval.Ablated(reports[0], reports[plain:])
	if o.Answers != nil {
		answers := o.Answers.Answers(reports[0])
		result.Answers = &answers
	}
	return result, nil
}

// commit returns the commit that this binary was built from; empty if the toolchain did not record it.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	revision, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+changes"
		}
	}
	if revision == "" {
		return ""
	}
	return revision + changed
}
