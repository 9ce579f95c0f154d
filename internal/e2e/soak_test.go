package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/pgtest"
)

// A soak: many tenants' agents do all that the API lets them do, while processes are killed, disks fill up, databases
// go away, networks are cut and clocks jump, at random. Whatever happens, what was acknowledged is there once and in order,
// what was in doubt at most once, what nobody asked for is not there, who was erased and what was forgotten is told
// nowhere, no tenant hears of another, every call is written up, and the log has no word of it.
//
// RECALLER_SOAK says how long (the short one lasts two seconds), RECALLER_SOAK_SEED which one: the same faults, and the
// same requests as far as processes allow. RECALLER_SOAK_ON is one of the two stores.

// soakOptions say how a soak is to be.
type soakOptions struct {
	seed    uint64
	lasts   time.Duration // a fault, about
	pause   time.Duration // between two of them, about
	talk    time.Duration
	workers int
	callers int      // of each worker
	first   []string // the faults that come first
}

// soak is one run.
type soak struct {
	t     *testing.T
	on    backing
	opts  soakOptions
	dir   string
	began time.Time

	server      *server
	other       string // the data folder of the server that takes over
	key         string // the bootstrap key
	line        *wire  // from the agents to the server
	base, spare *wire  // from the server, and from the next one, to Postgres
	postgres    *pgtest.Server
	db          pgtest.Database
	off         atomic.Int64 // of the clock, in nanoseconds
	setClock    func(time.Duration) error
	alone       bool   // it was started on a full disk
	backup      string // the folder of the last one
	backupAt    int64
	hooks       *hooks

	tenants []*soakTenant
	workers []*soakWorker

	tick, trouble, heardWords, events, restored atomic.Int64
	jumped, still                               atomic.Bool // the clock has jumped; nothing is under way any more

	mu         sync.Mutex // guards all below
	lives      []soakLife
	suffered   map[string]int
	done       map[string]int // requests by what they were
	unanswered int
	oddities   map[string]int // what the log warns of, and refusals without a cause
	warnings   []string       // the last lines of that sort
	violations []string       // what must not be
	peak       vitals
}

// violated takes in something that must not be, of a caller or, where c is nil, of nobody in particular.
func (s *soak) violated(c *soakCaller, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	s.mu.Lock()
	s.violations = append(s.violations, what)
	s.mu.Unlock()
	s.log("VIOLATION: %s", what)
	if c != nil {
		c.note("VIOLATION: %s", what)
		s.log("the history of %s (tenant %s, %s):\n%s", c.phone, c.tenant.id, c.tenant.retention, c.lately())
	}
}

// log tells what happens, for whoever looks for a cause.
func (s *soak) log(format string, args ...any) {
	s.t.Logf("%8.3fs %s: %s", time.Since(s.began).Seconds(), s.on, fmt.Sprintf(format, args...))
}

func (s *soak) count(what string, out verdict) {
	verb, _, _ := strings.Cut(what, " ")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done[verb]++
	if out.doubted {
		s.unanswered++
	}
}

// failed takes in a failure of the server's. While nothing is wrong there must be none, and never a fault of its own.
func (s *soak) failed(c *soakCaller, what string, out verdict, calm int64) {
	var p *client.Problem
	if problemOf(out.err, &p); p != nil && p.Code == "internal" {
		s.violated(c, "%s: %v", what, p)
	}
	if s.calmSince(calm) {
		verb, _, _ := strings.Cut(what, " ")
		s.odd(fmt.Sprintf("refused while all was well: %s: %v", verb, out.err))
	}
}

func (s *soak) odd(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.oddities[what]++
}

// callerOf finds who said a word; nil: nobody.
func (s *soak) callerOf(p speech) *soakCaller {
	if p.tenant >= len(s.tenants) || p.caller >= len(s.tenants[p.tenant].callers) {
		return nil
	}
	return s.tenants[p.tenant].callers[p.caller]
}

// client speaks to the server with a key.
func (s *soak) client(key string) *client.Client {
	c, err := client.New("http://"+s.line.addr(), key, client.WithRetries(0), client.WithHTTPClient(&http.Client{
		Transport: listening{s, http.DefaultTransport},
	}))
	if err != nil {
		s.t.Error(err) // it is called by many goroutines
	}
	return c
}

// env is the environment of the server.
func (s *soak) env() []string {
	env := []string{"RECALLER_LOG_LEVEL=info", "RECALLER_API_KEY=" + s.key, "RECALLER_SHUTDOWN_GRACE=60s"}
	if s.on == onSQLite {
		return env
	}
	u, err := url.Parse(s.db.App)
	if err != nil {
		s.t.Fatal(err)
	}
	u.Host, u.RawQuery = s.base.addr(), "sslmode=disable"
	return append(env, "RECALLER_DATABASE_URL="+u.String(), "MEMORY_ENCRYPTION_KEY="+masterKey)
}

// newSoak starts the server and makes the tenants.
func newSoak(t *testing.T, on backing, opts soakOptions) *soak {
	t.Helper()
	s := &soak{
		t: t, on: on, opts: opts, dir: t.TempDir(), began: time.Now(), key: strings.Repeat("soak", 10), suffered: map[string]int{},
		done: map[string]int{}, oddities: map[string]int{}, line: newWire(t), hooks: newHooks(t),
	}
	s.hooks.s = s
	s.log("seed %d, for %v", opts.seed, opts.talk)
	if on == onPostgres {
		s.postgres = pgtest.OwnServer(t)
		s.db = s.postgres.Database()
		if err := migrate(t.Context(), s.db); err != nil {
			t.Fatal(err)
		}
		s.base, s.spare = newWire(t), newWire(t)
		cfg, err := pgx.ParseConfig(s.db.App)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range []*wire{s.base, s.spare} {
			w.lead("unix", filepath.Join(cfg.Host, fmt.Sprintf(".s.PGSQL.%d", cfg.Port)))
		}
	}
	s.server = &server{t: t, dir: filepath.Join(s.dir, "data"), output: &logbook{read: s.readLog}, env: s.env()}
	s.other = filepath.Join(s.dir, "other")
	s.begin(s.server.command("serve"), false)
	t.Cleanup(func() {
		if s.server.running() {
			s.server.kill()
		}
	})
	s.quiet()
	s.populate()
	return s
}

// populate makes the tenants, and the agents who share their callers out among them.
func (s *soak) populate() {
	retentions := []recaller.Retention{recaller.Keep, recaller.Keep, recaller.Archive, recaller.Ephemeral}
	if s.on == onPostgres { // archives are in the data folder of one server, and another takes over
		retentions[2] = recaller.Keep
	}
	for n, retention := range retentions {
		made, err := s.client(s.key).CreateTenant(s.t.Context(), client.NewTenant{
			Name: fmt.Sprint("House ", n), TenantSettings: client.TenantSettings{Retention: &retention},
		})
		if err != nil {
			s.t.Fatal(err)
		}
		if _, err := s.client(made.APIKey).SetWebhook(s.t.Context(), client.WebhookInput{URL: s.hooks.url(n)}); err != nil {
			s.t.Fatal(err)
		}
		s.tenants = append(s.tenants, &soakTenant{n: n, id: made.Tenant.ID, key: made.APIKey, retention: retention})
	}
	for n := range s.opts.workers {
		w := &soakWorker{s: s, rnd: rand.New(rand.NewPCG(s.opts.seed, uint64(n))), api: map[*soakTenant]*client.Client{}}
		for i := range s.opts.callers {
			t := s.tenants[(n+i)%len(s.tenants)]
			c := &soakCaller{
				s: s, tenant: t, n: len(t.callers), phone: fmt.Sprintf("+1415%07d", 5550000+n*s.opts.callers+i),
				spoken: []int{0}, erased: []time.Time{{}}, checkpoints: []string{""},
			}
			t.callers, w.callers = append(t.callers, c), append(w.callers, c)
		}
		for _, t := range s.tenants {
			w.api[t] = s.client(t.key)
		}
		s.workers = append(s.workers, w)
	}
}

// run has the agents talk while things go wrong, and then checks everything.
func (s *soak) run() {
	ctx, cancel := context.WithTimeout(context.Background(), s.opts.talk)
	defer cancel()
	watch, unwatch := context.WithCancel(context.Background())
	var talk, watching sync.WaitGroup
	watching.Go(func() { s.watch(watch) })
	for _, w := range s.workers {
		w.stop = ctx
		talk.Go(w.run)
	}
	s.faults(ctx, rand.New(rand.NewPCG(s.opts.seed, 1<<40)))
	talk.Wait()
	s.finish()
	unwatch()
	watching.Wait()
	s.end(false)
	s.checkAtRest()
	s.checkBackup()
}

// tell reports what happened, and fails the test for each violation. The history of who it was was told with it.
func (s *soak) tell() {
	total := 0
	for _, n := range s.done {
		total += n
	}
	s.log("seed %d: %d operations (%d of them in doubt for a while), %d words heard, %d events; faults: %v; %d processes", s.opts.seed,
		total, s.unanswered, s.heardWords.Load(), s.events.Load(), s.suffered, len(s.lives))
	s.log("operations: %v", s.done)
	s.log("at most: %+v; webhooks %d; turns found in the restored backup %d", s.peak, s.hooks.count(), s.restored.Load())
	for _, what := range slices.Sorted(maps.Keys(s.oddities)) {
		s.log("%5d times: %s", s.oddities[what], what)
	}
	if len(s.violations) > 0 {
		s.log("the last warnings of the server:\n%s", strings.Join(s.warnings, "\n"))
	}
	for i, v := range s.violations {
		if i == 20 {
			s.t.Errorf("and %d more", len(s.violations)-i)
			break
		}
		s.t.Errorf("seed %d: %s", s.opts.seed, v)
	}
}

// hooks is the endpoint of the tenants' applications, which is told of reminders.
type hooks struct {
	s      *soak
	server *httptest.Server
	past   atomic.Bool // a backup speaks, in which those who were erased since live on

	mu  sync.Mutex // guards got
	got map[string]int
}

func newHooks(t testing.TB) *hooks {
	h := &hooks{got: map[string]int{}}
	h.server = httptest.NewServer(h)
	t.Cleanup(h.server.Close)
	return h
}

func (h *hooks) url(tenant int) string { return fmt.Sprintf("%s/%d", h.server.URL, tenant) }

// ServeHTTP takes a notice. Now and then it refuses the first one of a reminder.
func (h *hooks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	var n notice
	tenant, bad := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
	if err != nil || bad != nil || json.Unmarshal(raw, &n.Body) != nil {
		return // it broke off
	}
	if h.past.Load() {
		return
	}
	h.s.heard(asker{tenant: h.s.tenants[tenant]}, "a webhook", time.Now().Add(-soakAsks), raw)
	id := n.Body.Data.ReminderID
	h.mu.Lock()
	defer h.mu.Unlock()
	sum := fnv.New32()
	_, _ = sum.Write([]byte(id)) // never fails
	if _, refused := h.got[id]; !refused && sum.Sum32()%10 == 0 {
		h.got[id] = 0
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	h.got[id]++
}

func (h *hooks) has(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.got[id] > 0
}

func (h *hooks) count() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, times := range h.got {
		n += times
	}
	return n
}

// envOr reads a setting of the run.
func envOr[T any](t *testing.T, name string, otherwise T, read func(string) (T, error)) T {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	v, err := read(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

// A short soak, for every change; and, with RECALLER_SOAK, a long one.
func TestSoak(t *testing.T) {
	t.Parallel()
	number := func(s string) (uint64, error) { return strconv.ParseUint(s, 10, 64) }
	long := envOr(t, "RECALLER_SOAK", 0, time.ParseDuration)
	if long == 0 {
		soaked(t, onSQLite, soakOptions{
			seed: envOr(t, "RECALLER_SOAK_SEED", 1, number), lasts: 300 * time.Millisecond, pause: 300 * time.Millisecond,
			talk: 2 * time.Second, workers: 4, callers: 4, first: []string{"kill -9", "disk full", "clock jumps"},
		})
		return
	}
	opts := soakOptions{
		seed: envOr(t, "RECALLER_SOAK_SEED", uint64(time.Now().UnixNano()), number), lasts: 3 * time.Second, pause: 4 * time.Second,
		talk: long, workers: 12, callers: 8, first: []string{"kill -9", "disk full", "clock jumps", "backup", "database away", "another server takes over"},
	}
	only := envOr(t, "RECALLER_SOAK_ON", "", func(s string) (backing, error) {
		if on := backing(s); on == onSQLite || on == onPostgres {
			return on, nil
		}
		return "", fmt.Errorf("%q is neither %s nor %s", s, onSQLite, onPostgres)
	})
	for _, on := range []backing{onSQLite, onPostgres} {
		if only == "" || only == on {
			t.Run(string(on), func(t *testing.T) { t.Parallel(); soaked(t, on, opts) })
		}
	}
}

func soaked(t *testing.T, on backing, opts soakOptions) {
	s := newSoak(t, on, opts)
	defer s.tell()
	s.run()
}
