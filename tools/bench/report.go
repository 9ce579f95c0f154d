package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// row is one line of the result.
type row struct {
	Part   string  `json:"part"`
	Name   string  `json:"name"`
	N      int     `json:"n"`
	P50    float64 `json:"p50_ms,omitempty"`
	P95    float64 `json:"p95_ms,omitempty"`
	P99    float64 `json:"p99_ms,omitempty"`
	Max    float64 `json:"max_ms,omitempty"`
	Rate   float64 `json:"per_second,omitempty"`
	Bytes  int64   `json:"bytes,omitempty"`
	Note   string  `json:"note,omitempty"`
	Budget string  `json:"budget,omitempty"`
	Holds  *bool   `json:"holds,omitempty"`
}

// budget is what spec section 6 allows.
type budget struct {
	text  string
	holds func(row) bool
}

func p99(ms float64) budget {
	return budget{fmt.Sprintf("p99 ≤ %g ms", ms), func(r row) bool { return r.P99 <= ms }}
}

func p95(ms float64) budget {
	return budget{fmt.Sprintf("p95 ≤ %g ms", ms), func(r row) bool { return r.P95 <= ms }}
}

func atLeast(rate float64) budget {
	return budget{fmt.Sprintf("≥ %g /s", rate), func(r row) bool { return r.Rate >= rate }}
}

func atMost(mb int64) budget {
	return budget{fmt.Sprintf("≤ %d MB", mb), func(r row) bool { return r.Bytes <= mb*1e6 }}
}

// none is for rows that no budget is set for.
func none() budget { return budget{} }

// machine is what the figures were measured on.
type machine struct {
	Date       string  `json:"date"`
	Commit     string  `json:"commit"`
	Go         string  `json:"go"`
	OS         string  `json:"os"`
	CPU        string  `json:"cpu"`
	Cores      int     `json:"cores"`
	MemoryGB   float64 `json:"memory_gb"`
	Disk       string  `json:"disk"`
	SyncP50    float64 `json:"fdatasync_p50_ms"`
	SyncP99    float64 `json:"fdatasync_p99_ms"`
	LoadBefore string  `json:"load_before"`
	LoadAfter  string  `json:"load_after"`
}

type report struct {
	Machine machine  `json:"machine"`
	Data    manifest `json:"data"`
	Rows    []row    `json:"rows"`
}

func newReport(ctx context.Context, o options) *report {
	r := &report{Machine: machine{
		Date: time.Now().UTC().Format("2006-01-02 15:04 MST"), Go: runtime.Version(), OS: runtime.GOOS + "/" + runtime.GOARCH,
		Cores: runtime.NumCPU(), LoadBefore: loadAverage(), Commit: "unknown", Disk: diskOf(o.data),
	}}
	if out, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty", "--tags").Output(); err == nil {
		r.Machine.Commit = string(bytes.TrimSpace(out))
	}
	if raw, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, rest, ok := strings.Cut(string(raw), "model name"); ok {
			line, _, _ := strings.Cut(rest, "\n")
			r.Machine.CPU = strings.Trim(line, "\t: ")
		}
	}
	if n, err := procField("/proc/meminfo", "MemTotal:"); err == nil {
		r.Machine.MemoryGB = float64(n>>20) / 1024
	}
	return r
}

func loadAverage() string {
	raw, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(raw))[:3], " ")
}

func (r *report) filled(m manifest) { r.Data = m }

// add puts a row of durations in.
func (r *report) add(part, name string, s series, b budget) *row {
	s = s.sorted()
	ms := func(p float64) float64 { return float64(s.quantile(p).Microseconds()) / 1000 }
	return r.put(row{Part: part, Name: name, N: len(s), P50: ms(.5), P95: ms(.95), P99: ms(.99), Max: ms(1)}, b)
}

func (r *report) put(v row, b budget) *row {
	if b.holds != nil {
		holds := b.holds(v)
		v.Budget, v.Holds = b.text, &holds
	}
	r.Rows = append(r.Rows, v)
	return &r.Rows[len(r.Rows)-1]
}

// rated is add with how many were done in the time.
func (r *report) rated(part, name string, s series, took time.Duration, b budget) {
	s = s.sorted()
	ms := func(p float64) float64 { return float64(s.quantile(p).Microseconds()) / 1000 }
	r.put(row{Part: part, Name: name, N: len(s), P50: ms(.5), P95: ms(.95), P99: ms(.99), Max: ms(1), Rate: float64(len(s)) / took.Seconds()}, b)
}

// held puts a row of memory in.
func (r *report) held(name string, u usage, b budget) {
	r.put(row{Part: "memory", Name: name, N: 1, Bytes: u.RSS, Note: fmt.Sprintf("PSS %.1f MB", float64(u.PSS)/1e6)}, b)
}

// finish takes down what the machine was like.
func (r *report) finish(ctx context.Context, data string) {
	r.Machine.LoadAfter = loadAverage()
	s, err := syncs(ctx, data)
	if err != nil {
		return // the figures stand without it
	}
	s = s.sorted()
	r.Machine.SyncP50, r.Machine.SyncP99 = s.quantile(.5).Seconds()*1e3, s.quantile(.99).Seconds()*1e3
}

// syncs times how long the disk takes to make 4 KiB durable.
func syncs(ctx context.Context, dir string) (s series, err error) {
	f, err := os.CreateTemp(dir, ".sync-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	block := make([]byte, 4096)
	return one(ctx, 300, func(int) error {
		if _, err := f.Write(block); err != nil {
			return err
		}
		return f.Sync()
	})
}

func (r *report) writeJSON(path string) error {
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(raw, '\n'), 0o600)
}

func (r *report) writeMarkdown(w io.Writer) error {
	m, d := r.Machine, r.Data
	var b strings.Builder
	fmt.Fprintf(&b, "%s, commit %s, %s, %s\n\n", m.Date, m.Commit, m.Go, m.OS)
	fmt.Fprintf(&b, "- machine: %d cores of %s, %.0f GB memory; disk: %s, 4 KiB made durable in %.2f ms (p50), %.2f ms (p99)\n", m.Cores, m.CPU, m.MemoryGB, m.Disk, m.SyncP50, m.SyncP99)
	fmt.Fprintf(&b, "- load average before: %s, after: %s\n", m.LoadBefore, m.LoadAfter)
	fmt.Fprintf(&b, "- data: %d callers, %d memories, %d conversations, %d turns (%d callers with %d turns each); database %.0f MB, keys %.0f MB; filled in %s\n",
		d.Rows.Callers, d.Rows.Memories, d.Rows.Conversations, d.Rows.Turns, d.Plan.Heavy, d.Plan.HeavyTurns, float64(d.DataBytes)/1e6, float64(d.KeysBytes)/1e6, d.Took.Round(time.Second))
	part := ""
	for _, v := range r.Rows {
		if v.Part != part {
			part = v.Part
			fmt.Fprintf(&b, "\n**%s**\n\n| operation | n | p50 ms | p95 ms | p99 ms | max ms | other | budget | holds |\n|---|--:|--:|--:|--:|--:|--:|---|---|\n", part)
		}
		b.WriteString(v.markdown())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (v row) markdown() string {
	holds := ""
	if v.Holds != nil {
		holds = map[bool]string{true: "yes", false: "**NO**"}[*v.Holds]
	}
	other := v.Note
	switch {
	case v.Rate > 0:
		other = fmt.Sprintf("%.0f /s", v.Rate)
	case v.Bytes > 0:
		other = fmt.Sprintf("%.1f MB (%s)", float64(v.Bytes)/1e6, v.Note)
	}
	times := "| | | | "
	if v.Max > 0 {
		times = fmt.Sprintf("| %.2f | %.2f | %.2f | %.2f ", v.P50, v.P95, v.P99, v.Max)
	}
	return fmt.Sprintf("| %s | %d %s| %s | %s | %s |\n", v.Name, v.N, times, other, v.Budget, holds)
}

// diskOf says on what file system and device a folder is, as far as the system tells.
func diskOf(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	raw, err := os.ReadFile("/proc/mounts")
	if err != nil {
		return "unknown"
	}
	best, found := "", "unknown"
	for line := range strings.Lines(string(raw)) {
		f := strings.Fields(line)
		if len(f) > 2 && (dir == f[1] || strings.HasPrefix(dir, strings.TrimSuffix(f[1], "/")+"/")) && len(f[1]) >= len(best) {
			best, found = f[1], f[2]+" on "+f[0]
		}
	}
	return found
}
