package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/app"
	"github.com/recallerhq/recaller/internal/cli/term"
	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/exam"
	"github.com/recallerhq/recaller/internal/vault"
)

// doctorCmd is `recaller doctor`.
type doctorCmd struct {
	JSON bool `name:"json" help:"Print the findings as JSON"`
}

// Help says what it is.
func (*doctorCmd) Help() string {
	return "Looks at the data folder or the Postgres (its versions, roles and policies), the keys, the disk, the clock, the server, the model and the embedder, and says of each what is wrong and what to do. It repairs nothing. It fails if something has to be done."
}

// Examples are lines to try.
func (*doctorCmd) Examples() []string {
	return []string{"recaller doctor", "recaller doctor --data /var/lib/recaller --json"}
}

// verdict is how a check came out.
type verdict string

const (
	verdictOK   verdict = "ok"
	verdictWarn verdict = "warn" // it works, but look at it
	verdictFail verdict = "fail" // it does not work
)

// finding is what one check says.
type finding struct {
	Check   string  `json:"check"`
	Verdict verdict `json:"verdict"`
	Says    string  `json:"says"`
	Do      string  `json:"do,omitempty"`
}

// Bounds of what is well.
const (
	lowSpace   = 1 << 30   // bytes free, below which it warns
	noSpace    = 100 << 20 // bytes free, below which it fails
	clockSlack = 2 * time.Minute
)

// earliest is a time that has passed: a clock before it is not set.
func earliest() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

// Run checks everything.
func (c *doctorCmd) Run(ctx context.Context, s *session) error {
	cfg, err := s.config()
	if err != nil {
		return err
	}
	var findings []finding
	findings = append(findings, s.checkFolder(cfg), s.checkKeyFiles(cfg))
	if cfg.Databases.Postgres() {
		findings = append(findings, s.checkPostgres(ctx, cfg)...)
	} else {
		findings = append(findings, s.checkData(ctx, cfg), s.checkKeys(ctx, cfg))
		findings = append(findings, append(s.checkMissing(ctx, cfg), s.checkDamage(ctx, cfg)...)...)
	}
	findings = append(findings, s.checkSpace(cfg), s.checkClock(cfg))
	findings = append(findings, s.checkServer(ctx, cfg)...)
	findings = append(findings, s.checkModel(ctx, cfg), s.checkEmbedder(ctx, cfg))
	for _, warning := range cfg.Warnings() {
		findings = append(findings, finding{"settings", verdictWarn, warning, ""})
	}
	failed := false
	for _, f := range findings {
		failed = failed || f.Verdict == verdictFail
	}
	if c.JSON {
		err = s.json(map[string]any{"findings": findings, "well": !failed})
	} else {
		writeFindings(s.out, findings)
	}
	if err == nil && failed {
		return errSilent
	}
	return err
}

func writeFindings(out term.Out, findings []finding) {
	width := 0
	for _, f := range findings {
		width = max(width, len(f.Check))
	}
	for _, f := range findings {
		mark := out.Good("ok  ")
		switch f.Verdict {
		case verdictWarn:
			mark = out.Warn("warn")
		case verdictFail:
			mark = out.Bad("fail")
		case verdictOK:
		}
		fmt.Fprintf(out, "%s  %-*s %s\n", mark, width, f.Check, term.Clean(f.Says))
		if f.Do != "" {
			fmt.Fprintf(out, "      %-*s %s\n", width, "", out.Dim("→ "+f.Do))
		}
	}
}

// checkFolder looks whether the data folder is there, private and writable.
func (s *session) checkFolder(cfg config.Config) finding {
	f := finding{Check: "data folder"}
	info, err := os.Stat(cfg.Data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.Verdict, f.Says, f.Do = verdictWarn, cfg.Data+" is not there yet", "the first `recaller serve` makes it; --data names another"
		return f
	case err != nil:
		f.Verdict, f.Says, f.Do = verdictFail, cfg.Data+" cannot be looked at", "give it to the user that runs recaller"
		return f
	case !info.IsDir():
		f.Verdict, f.Says, f.Do = verdictFail, cfg.Data+" is not a folder", "name another with --data"
		return f
	}
	probe, err := os.CreateTemp(cfg.Data, ".doctor-*")
	if err != nil {
		f.Verdict, f.Says, f.Do = verdictFail, cfg.Data+" cannot be written to", "give it to the user that runs recaller"
		return f
	}
	_ = probe.Close()           // nothing was written
	_ = os.Remove(probe.Name()) // or the next look finds it
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		f.Verdict, f.Says, f.Do = verdictWarn, fmt.Sprintf("%s can be entered by others (mode %04o)", cfg.Data, info.Mode().Perm()), "chmod 700 "+cfg.Data
		return f
	}
	f.Verdict, f.Says = verdictOK, cfg.Data+" is there, private and writable"
	return f
}

// checkKeyFiles looks whether the key files are for the owner alone.
func (s *session) checkKeyFiles(cfg config.Config) finding {
	f := finding{Check: "key files", Verdict: verdictOK, Says: "readable by their owner only"}
	found := 0
	for _, path := range []string{filesOf(cfg).masterKey, filesOf(cfg).apiKey, filesOf(cfg).keyStore} {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		found++
		if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			return finding{f.Check, verdictFail, fmt.Sprintf("%s can be used by others (mode %04o)", path, info.Mode().Perm()), "make sure that nobody has read it, then chmod 600 " + path}
		}
	}
	if found == 0 {
		f.Says = "none yet"
	}
	if master := filesOf(cfg).masterKey; filepath.Dir(master) == filepath.Dir(filesOf(cfg).keyStore) {
		apart := filepath.Join(cfg.Data, "master")
		f.Verdict, f.Says = verdictWarn, master+" is in the folder of the wrapped keys: a copy of that folder opens by itself"
		f.Do = fmt.Sprintf("stop the server, then: mkdir -m 700 %s && mv %s* %s/", apart, master, apart)
	}
	return f
}

// checkKeys proves that the master key opens the data keys.
func (s *session) checkKeys(ctx context.Context, cfg config.Config) finding {
	f := finding{Check: "keys"}
	if _, err := os.Stat(filesOf(cfg).keyStore); err != nil && !cfg.Databases.Postgres() {
		return finding{f.Check, verdictOK, "nothing is sealed yet", ""}
	}
	err := func() error {
		ring, _, err := masterRing(cfg)
		if err != nil {
			return err
		}
		return withKeyStore(ctx, cfg, func(store vault.KeyStore) error {
			return vault.New(ring, store, vault.Options{}).Check(ctx)
		})
	}()
	if err != nil {
		return finding{f.Check, verdictFail, plain(err), "set MEMORY_ENCRYPTION_KEY to the key that this data was sealed with, or put its key file back"}
	}
	return finding{f.Check, verdictOK, "the master key opens the data", ""}
}

// checkPostgres looks at what the server relies on in the databases, and where all of it is there at the keys in them.
func (s *session) checkPostgres(ctx context.Context, cfg config.Config) []finding {
	list, err := app.Inspect(ctx, cfg)
	var findings []finding
	sound := true
	for _, f := range list {
		name := f.Name
		if !strings.HasPrefix(name, "keys: ") {
			name = "data: " + name
		}
		if f.Problem != "" {
			sound = false
			findings = append(findings, finding{name, verdictFail, f.Problem, ""})
		} else {
			findings = append(findings, finding{name, verdictOK, f.Found, ""})
		}
	}
	if err == nil && sound {
		findings = append(findings, s.checkKeys(ctx, cfg))
		findings = append(findings, append(s.checkMissing(ctx, cfg), s.checkDamage(ctx, cfg)...)...)
	}
	if err != nil {
		findings = append(findings, finding{"database", verdictFail, plain(err), "check that Postgres runs, and the address and the password in RECALLER_DATABASE_URL"})
	}
	return findings
}

// checkData looks whether a server of this version could open the database.
func (s *session) checkData(ctx context.Context, cfg config.Config) finding {
	f := finding{Check: "database"}
	if _, err := os.Stat(filesOf(cfg).database); err != nil {
		return finding{f.Check, verdictOK, "none yet", ""}
	}
	server, err := s.openEngine(ctx, cfg, slog.New(slog.DiscardHandler))
	if errors.Is(err, recaller.Conflict) {
		return finding{f.Check, verdictOK, "in use by a server", ""}
	}
	if err != nil {
		return finding{f.Check, verdictFail, plain(err), "put a backup in its place, and look at what it says"}
	}
	if err = server.Close(context.WithoutCancel(ctx)); err != nil {
		return finding{f.Check, verdictFail, plain(err), "put a backup in its place"}
	}
	return finding{f.Check, verdictOK, "opens with this version", ""}
}

// checkSpace looks how much room the disk has.
func (s *session) checkSpace(cfg config.Config) finding {
	f := finding{Check: "disk"}
	folder := cfg.Data
	if _, err := os.Stat(folder); err != nil {
		folder = filepath.Dir(folder)
	}
	free, known := freeSpace(folder)
	switch {
	case !known:
		f.Verdict, f.Says = verdictOK, "free space cannot be told on this system"
	case free < noSpace:
		f.Verdict, f.Says, f.Do = verdictFail, size(free)+" free", "make room: without it nothing is kept"
	case free < lowSpace:
		f.Verdict, f.Says, f.Do = verdictWarn, size(free)+" free", "make room before it runs out"
	default:
		f.Verdict, f.Says = verdictOK, size(free)+" free"
	}
	return f
}

func size(bytes uint64) string {
	if bytes >= 1<<30 {
		return fmt.Sprintf("%.1f GB", float64(bytes)/(1<<30))
	}
	return fmt.Sprintf("%d MB", bytes>>20)
}

// checkClock looks whether the clock can be right: not before this program, and not before the data was written.
func (s *session) checkClock(cfg config.Config) finding {
	now := s.now()
	if now.Before(earliest()) {
		return finding{"clock", verdictFail, "it is " + now.Format("2 Jan 2006") + " by the clock", "set it: dates in briefings and reminders go by it"}
	}
	for _, path := range []string{filesOf(cfg).database, filesOf(cfg).database + "-wal", filesOf(cfg).keyStore} {
		info, err := os.Stat(path)
		if err == nil && info.ModTime().After(now.Add(clockSlack)) {
			return finding{"clock", verdictWarn, "the data was written after now, at " + info.ModTime().Format(time.RFC3339), "set the clock"}
		}
	}
	zone, _ := now.Zone()
	return finding{"clock", verdictOK, now.Format("2 Jan 2006 15:04:05 ") + zone, ""}
}

// checkServer asks the server whether it is there, ready, and takes the key.
func (s *session) checkServer(ctx context.Context, cfg config.Config) []finding {
	base := s.globals.Server
	if base == "" {
		base = serverURL(cfg, cfg.Addr)
	}
	if err := s.answers(ctx, cfg, base); err != nil {
		if s.globals.Server != "" {
			return []finding{{"server", verdictFail, "none answers at " + base, "start it with `recaller serve`"}}
		}
		return []finding{{"server", verdictOK, "none runs at " + base + "; commands open the data folder themselves", ""}}
	}
	api, err := newClient(base, apiKey(cfg, base), trusting(cfg, base))
	if err != nil {
		return []finding{{"server", verdictFail, plain(err), ""}}
	}
	ctx, cancel := context.WithTimeout(ctx, 2*answerWithin)
	defer cancel()
	if err := api.Ready(ctx); err != nil {
		return []finding{{"server", verdictFail, "it answers at " + base + " but is not ready: " + plain(err), "look into its log"}}
	}
	findings := []finding{{"server", verdictOK, "ready at " + base, ""}}
	_, err = api.Tenant(ctx)
	var refused *client.Problem
	switch {
	case err == nil:
		findings = append(findings, finding{"api key", verdictOK, "the server takes it", ""})
	case errors.As(err, &refused):
		findings = append(findings, finding{"api key", verdictFail, plain(err), adviceOn(err)})
	default:
		findings = append(findings, finding{"api key", verdictFail, plain(err), ""})
	}
	return findings
}

// patience is how long the model may take for the one question that it is asked.
const patience = 3 * time.Minute

// checkModel asks the model's endpoint whether it is there, and the model one question.
func (s *session) checkModel(ctx context.Context, cfg config.Config) finding {
	provider, configured := cfg.Provider()
	model, _ := s.model()
	if !configured || model == nil {
		return finding{"model", verdictOK, "none is configured: everything goes by rules", ""}
	}
	if err := model.Check(ctx); err != nil {
		return finding{"model", verdictWarn, provider.Where() + ": " + plain(err), "check its address and key; until then everything goes by rules"}
	}
	began := s.now()
	_, err := model.Ask(ctx, recaller.Ask{System: "Answer with one word.", Text: "Is somebody there?", Timeout: patience})
	if err != nil {
		return finding{"model", verdictWarn, provider.Where() + " is there, but " + provider.Model + " did not answer: " + plain(err), "check the model's name, and that it is loaded; until then everything goes by rules"}
	}
	took := s.now().Sub(began).Round(100 * time.Millisecond)
	f := finding{"model", verdictOK, fmt.Sprintf("%s at %s, answered in %s", provider.Model, provider.Where(), took), ""}
	if cfg.Model.Words == config.WordsAuto {
		return examined(ctx, model, f)
	}
	return f
}

// examined adds whether a model that answers may write in its own words.
func examined(ctx context.Context, model exam.Model, f finding) finding {
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	verdict, err := exam.Hold(ctx, model)
	switch {
	case err != nil:
		f.Verdict, f.Do = verdictWarn, "look again when it has less to do; the server examines it by itself"
		f.Says += "; it did not answer to the end when it was examined: " + plain(err)
	case verdict.Passed:
		f.Says += "; " + verdict.String()
	default:
		f.Verdict, f.Do = verdictWarn, "take a larger model; RECALLER_LLM_WORDS=own lets it write all the same, and false things will be stored"
		f.Says += "; " + verdict.String()
	}
	return f
}
