// Command bench measures the budgets of spec section 6 at full size: it fills a data folder with callers, memories and
// conversations through the real store, starts the real server on it, and measures over HTTP; then once more in
// process, so that what the server does and what client and kernel cost can be told apart. docs/benchmarks.md says how
// to read it.
//
// It is not for small pieces (their packages have Go benchmarks), nor for the quality of recall (`recaller eval`).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// options are the command line.
type options struct {
	plan     plan
	data     string // folder of the data; empty: a temporary one
	patience string // how long a briefing may take; empty: as the server has it
	super    string // URL of a Postgres superuser; empty: SQLite in the folder
	binary   string // empty: built here
	json     string
	profile  string // folder for CPU profiles of the in-process part; empty: none
	phases   []string
	n        int           // samples of a row
	starts   int           // starts of the server, for each state of the disk's cache
	writing  time.Duration // how long turns are written
	fillers  int           // goroutines that fill
}

// The parts of a run, in order.
const (
	phaseFill   = "fill"
	phaseCold   = "cold"
	phaseWarm   = "warm"
	phaseMixed  = "mixed"
	phaseBegin  = "begin"
	phaseTools  = "tools"
	phaseSearch = "search"
	phaseSteps  = "steps"
	phaseMemory = "memory"
	phaseInproc = "inproc"
)

func phases() []string {
	return []string{phaseFill, phaseCold, phaseWarm, phaseMixed, phaseBegin, phaseTools, phaseSearch, phaseSteps, phaseMemory, phaseInproc}
}

func (o options) wants(phase string) bool { return slices.Contains(o.phases, phase) }

// serves reports whether a part is wanted that needs the server's program.
func (o options) serves() bool {
	return slices.ContainsFunc([]string{phaseCold, phaseWarm, phaseMixed, phaseBegin, phaseTools, phaseSearch, phaseMemory}, o.wants)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parse(args []string, errs io.Writer) (options, error) {
	o := options{plan: plan{Seed: 1}}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(errs)
	f.StringVar(&o.data, "data", "", "folder of the data: filled if it is empty, used again if it was filled by the same plan on the same store; not given: a temporary one")
	f.StringVar(&o.super, "postgres", "", "measure on Postgres: the URL of a superuser, who makes the database "+benchDatabase+"; it is used again only with the folder of data it was filled with")
	f.StringVar(&o.patience, "briefing-deadline", "", "how long a briefing may take before it is degraded; not given: as the server has it")
	f.IntVar(&o.plan.Callers, "callers", 100_000, "callers to hold")
	f.IntVar(&o.plan.Memories, "memories", 0, "memories to hold, spread evenly; 0: ten for each caller")
	f.IntVar(&o.plan.Heavy, "heavy", 5, "callers who have much history, for recall")
	f.IntVar(&o.plan.HeavyTurns, "heavy-turns", 10_000, "turns of each of them")
	f.IntVar(&o.fillers, "fillers", 256, "goroutines that fill")
	f.StringVar(&o.binary, "binary", "", "the server's program; not given: built from this source")
	f.StringVar(&o.json, "json", "", "also write the results to this file as JSON")
	f.StringVar(&o.profile, "cpuprofile", "", "folder for a CPU profile of each row of the part in process")
	f.IntVar(&o.n, "n", 2000, "samples of each warm row")
	f.IntVar(&o.starts, "starts", 10, "starts of the server with the disk's cache dropped, and again with it warm")
	f.DurationVar(&o.writing, "writing", 10*time.Second, "how long turns are written, and calls held")
	only := f.String("only", strings.Join(phases(), ","), "the parts to run")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.plan.Memories == 0 {
		o.plan.Memories = 10 * o.plan.Callers
	}
	o.phases = strings.Split(*only, ",")
	for _, p := range o.phases {
		if !slices.Contains(phases(), p) {
			return o, fmt.Errorf("-only: there is no part %q; there are %v", p, phases())
		}
	}
	return o, o.plan.validate()
}

func run(ctx context.Context, args []string, out, notes io.Writer) (err error) {
	o, err := parse(args, notes)
	if err != nil {
		return err
	}
	if o.data == "" {
		if o.data, err = os.MkdirTemp("", "recaller-bench-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(o.data)) }() //nolint:gosec // it was made just now
	}
	work, err := os.MkdirTemp("", "recaller-bench-work-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	b := &bench{options: o, notes: notes, work: work, rep: newReport(ctx, o)}
	failed := b.all(ctx)
	if failed != nil && len(b.rep.Rows) == 0 {
		return failed
	}
	return errors.Join(failed, b.tell(ctx, out)) // what was measured before a part failed is not thrown away
}

func (b *bench) tell(ctx context.Context, out io.Writer) error {
	b.rep.finish(ctx, b.data)
	if b.json != "" {
		if err := b.rep.writeJSON(b.json); err != nil {
			return err
		}
	}
	return b.rep.writeMarkdown(out)
}

// bench is one run.
type bench struct {
	options
	notes io.Writer
	work  string // for the server's program
	rep   *report
	db    *database // nil: SQLite
	turn  int       // how many callers were used, so that each sample takes another one
	poor  int       // degraded answers since the last row that told of them
}

func (b *bench) notef(format string, args ...any) {
	fmt.Fprintf(b.notes, "%s "+format+"\n", append([]any{time.Now().Format("15:04:05")}, args...)...)
}

func (b *bench) all(ctx context.Context) error {
	if b.super != "" {
		var err error
		if b.db, err = prepare(ctx, b.super); err != nil {
			return err
		}
	}
	m, err := b.filled(ctx)
	if err != nil {
		return err
	}
	b.rep.filled(*m)
	b.turn = m.Used
	if b.binary == "" && b.serves() {
		b.binary = filepath.Join(b.work, "recaller")
		if err := build(ctx, b.binary); err != nil {
			return err
		}
	}
	parts := []struct {
		name string
		run  func(context.Context) error
	}{{phaseCold, b.cold}, {phaseWarm, b.warm}, {phaseMixed, b.mixed}, {phaseBegin, b.beginnings}, {phaseTools, b.tools}, {phaseSearch, b.search}, {phaseSteps, b.steps}, {phaseMemory, b.memory}, {phaseInproc, b.inProcess}}
	for _, p := range parts {
		if !b.wants(p.name) {
			continue
		}
		b.notef("%s", p.name)
		if err := p.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	m.Used = b.turn
	return m.write(b.data)
}

// filled tells what the store was filled with, now or by an earlier run.
func (b *bench) filled(ctx context.Context) (*manifest, error) {
	m, err := readManifest(b.data)
	switch {
	case err != nil:
		return nil, err
	case m == nil && !b.wants(phaseFill):
		return nil, fmt.Errorf("%s is not filled", b.data)
	case m == nil:
		if err := b.vacant(ctx); err != nil {
			return nil, err
		}
		return b.fill(ctx)
	case m.Store != b.store():
		return nil, fmt.Errorf("%s was filled on %s, and this run is on %s: give another folder with -data", b.data, m.Store, b.store())
	case m.Plan != b.plan:
		return nil, fmt.Errorf("%s was filled by another plan: %+v", b.data, m.Plan)
	}
	return m, nil
}

// store names what is measured, as a manifest does.
func (b *bench) store() string {
	if b.db != nil {
		return b.db.name
	}
	return "SQLite"
}

// vacant refuses to fill a store that holds something and no manifest that says what: the same callers would be filled
// again.
func (b *bench) vacant(ctx context.Context) error {
	if b.db == nil {
		if _, err := os.Stat(filepath.Join(b.data, databaseFile)); err == nil {
			return fmt.Errorf("%s has data, and no run that filled it to the end: give another folder with -data", b.data)
		}
		return nil
	}
	if used, err := b.db.used(ctx); err != nil || !used {
		return err
	}
	return fmt.Errorf("the database %s has callers, and %s is not the folder it was filled with: give that one with -data, or begin anew with DROP DATABASE %[1]s",
		benchDatabase, b.data)
}
