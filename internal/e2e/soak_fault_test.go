package e2e

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// soakLife is one process of the server.
type soakLife struct {
	over  bool
	clean bool // it ended well, and wrote all that it held
	lost  bool // it said that what it held is lost
}

// life is the number of the process that serves, or served last.
func (s *soak) life() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.lives) - 1
}

// begin starts a process: the binary, or the same with a clock that jumps.
func (s *soak) begin(cmd *exec.Cmd, clock bool) {
	s.setClock, s.alone = nil, false
	if clock {
		set, err := clockedCommand(cmd, time.Duration(s.off.Load()))
		if err != nil {
			s.t.Fatal(err)
		}
		s.setClock = set
	}
	s.mu.Lock()
	s.lives = append(s.lives, soakLife{})
	s.mu.Unlock()
	s.server.spawn(cmd)
	s.line.lead("tcp", strings.TrimPrefix(s.server.url, "http://"))
	s.log("life %d begins, with a clock of its own: %v", s.life(), clock)
}

// end ends the process that serves.
func (s *soak) end(kill bool) {
	n := s.life()
	s.mu.Lock()
	s.lives[n].over = true
	s.mu.Unlock()
	if kill {
		s.server.kill()
		return
	}
	s.server.stop()
	s.mu.Lock()
	s.lives[n].clean = !s.lives[n].lost
	s.mu.Unlock()
}

// soakFault is something that goes wrong, and how often beside the others.
type soakFault struct {
	name   string
	weight int
	on     backing // empty: on both
	do     func(*soak, *rand.Rand)
}

var soakFaults = []soakFault{
	{"kill -9", 5, "", func(s *soak, rnd *rand.Rand) { s.again(rnd, true) }},
	{"SIGTERM", 3, "", func(s *soak, rnd *rand.Rand) { s.again(rnd, false) }},
	{"clock jumps", 4, "", (*soak).jump},
	{"connections cut", 2, "", func(s *soak, _ *rand.Rand) { s.line.cut(false) }},
	{"slow network", 1, "", (*soak).slowDown},
	{"requests hang", 1, "", (*soak).hang},
	{"disk full", 5, onSQLite, (*soak).fill},
	{"kill -9 on a full disk, and a start on it", 2, onSQLite, (*soak).fillAndKill},
	{"backup", 2, onSQLite, func(s *soak, _ *rand.Rand) { s.backUp() }},
	{"database away", 4, onPostgres, (*soak).away},
	{"database away, and kill -9", 2, onPostgres, (*soak).awayAndKill},
	{"database hangs", 1, onPostgres, (*soak).baseHangs},
	{"database crashes", 2, onPostgres, (*soak).crash},
	{"database's connections cut", 3, onPostgres, func(s *soak, _ *rand.Rand) { s.base.cut(false) }},
	{"another server takes over", 2, onPostgres, (*soak).takeOver},
}

// faults has things go wrong, one after the other, until ctx ends.
func (s *soak) faults(ctx context.Context, rnd *rand.Rand) {
	var can []soakFault
	for _, f := range soakFaults {
		if f.on != "" && f.on != s.on {
			continue
		}
		for range f.weight {
			can = append(can, f)
		}
	}
	for n := 0; ; n++ {
		if !pauseFor(ctx, time.Duration(float64(s.opts.pause)*(0.3+rnd.Float64()))) {
			return
		}
		f := can[rnd.IntN(len(can))]
		if n < len(s.opts.first) {
			f = can[findFault(can, s.opts.first[n])]
		}
		s.suffer(f.name, func() { f.do(s, rnd) })
	}
}

func findFault(all []soakFault, name string) int {
	for i, f := range all {
		if f.name == name {
			return i
		}
	}
	return 0
}

// suffer has one thing go wrong.
func (s *soak) suffer(name string, do func()) {
	s.log("fault: %s", name)
	s.trouble.Add(1)
	do()
	s.quiet()
	s.trouble.Add(1)
	s.mu.Lock()
	s.suffered[name]++
	s.mu.Unlock()
}

// quiet waits until the server is ready.
func (s *soak) quiet() {
	c := s.client("")
	eventually(s.t, "the server is ready", func() bool { return c.Ready(context.Background()) == nil })
}

// calmSince reports whether nothing has gone wrong since trouble was as it was.
func (s *soak) calmSince(trouble int64) bool { return trouble%2 == 0 && s.trouble.Load() == trouble }

// pauseFor waits; false: ctx ended first.
func pauseFor(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// a while is as long as a fault lasts.
func (s *soak) while(rnd *rand.Rand) {
	<-time.After(time.Duration(float64(s.opts.lasts) * (0.3 + rnd.Float64())))
}

// again ends the process and starts the next one.
func (s *soak) again(rnd *rand.Rand, kill bool) {
	s.end(kill)
	s.begin(s.server.command("serve"), rnd.IntN(2) == 0)
}

// jump has the clock jump, and where the process has none of its own, starts one that has.
func (s *soak) jump(rnd *rand.Rand) {
	if s.setClock == nil {
		s.end(rnd.IntN(2) == 0)
		s.begin(s.server.command("serve"), true)
	}
	off := [...]time.Duration{
		0, 10 * time.Second, -10 * time.Second, 20 * time.Minute, -20 * time.Minute, 3 * time.Hour, -3 * time.Hour, 11 * time.Hour, -11 * time.Hour,
	}[rnd.IntN(9)]
	s.jumped.Store(true)
	s.off.Store(int64(off))
	s.log("the clock is off by %v", off)
	if err := s.setClock(off); err != nil {
		s.violated(nil, "the clock cannot be set: %v", err)
	}
}

func (s *soak) slowDown(rnd *rand.Rand) {
	s.line.slow(time.Duration(1+rnd.IntN(40)) * time.Millisecond)
	s.while(rnd)
	s.line.slow(0)
}

func (s *soak) hang(rnd *rand.Rand) {
	s.line.hang(true)
	s.while(rnd)
	if rnd.IntN(2) == 0 {
		s.line.cut(false)
	}
	s.line.hang(false)
}

// size is how large the database is.
func (s *soak) size() uint64 {
	var n int64
	for _, f := range []string{"recaller.db", "recaller.db-wal"} {
		if info, err := os.Stat(filepath.Join(s.server.dir, f)); err == nil {
			n = max(n, info.Size())
		}
	}
	return uint64(n)
}

// full makes the disk full: no file may be written, or none may grow further than the largest.
func (s *soak) full(rnd *rand.Rand) {
	limit := uint64(0)
	if rnd.IntN(2) == 0 {
		limit = s.size()
	}
	if err := bound(s.server.cmd.Process.Pid, limit); err != nil {
		s.log("the disk cannot be full here: %v", err)
	}
}

// room makes room again.
func (s *soak) room() { _ = bound(s.server.cmd.Process.Pid, ^uint64(0)) }

func (s *soak) fill(rnd *rand.Rand) {
	s.full(rnd)
	s.while(rnd)
	s.room()
}

func (s *soak) fillAndKill(rnd *rand.Rand) {
	s.full(rnd)
	s.while(rnd)
	s.end(true)
	s.begin(s.server.within("ulimit -S -f 0"), false)
	s.alone = true
	s.while(rnd)
	s.room()
}

func (s *soak) away(rnd *rand.Rand) {
	s.base.cut(true)
	s.while(rnd)
	s.base.cut(false)
}

func (s *soak) awayAndKill(rnd *rand.Rand) {
	s.base.cut(true)
	s.while(rnd)
	s.end(true)
	s.base.cut(false)
	s.begin(s.server.command("serve"), rnd.IntN(2) == 0)
}

func (s *soak) baseHangs(rnd *rand.Rand) {
	s.base.hang(true)
	s.while(rnd)
	s.base.hang(false)
}

// crash has Postgres end as by kill -9, and start again.
func (s *soak) crash(rnd *rand.Rand) {
	s.postgres.Halt()
	s.while(rnd)
	s.postgres.Start()
}

// takeOver cuts the server off from its database, and another process takes that. The first is to end by itself.
func (s *soak) takeOver(*rand.Rand) {
	n, first := s.life(), *s.server
	s.base.cut(true)
	s.line.cut(true) // who spoke to the first speaks to the next
	s.mu.Lock()
	s.lives[n].over = true
	s.mu.Unlock()
	s.base, s.spare = s.spare, s.base
	s.base.cut(false)
	s.server.dir, s.other = s.other, s.server.dir
	s.server.env = s.env()
	s.setClock = nil
	s.begin(s.server.command("serve"), false)
	s.line.cut(false)
	s.spare.cut(false)
	select {
	case <-first.exited:
	case <-time.After(patience):
		s.violated(nil, "a server whose database another took goes on")
		_ = first.cmd.Process.Signal(syscall.SIGKILL)
		<-first.exited
	}
}
