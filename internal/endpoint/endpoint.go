// Package endpoint is the client of model endpoints: everything about asking one over HTTP that does not depend on what
// is asked. It bounds how many requests are under way and how much of an answer is read. It tries again if that may
// help, keeps the pauses that an endpoint asks for, and keeps away from one that is down. It gives failures their
// kinds, and counts what was sent.
//
// It knows no formats: a wire (llm, embed) puts a request into JSON, says where to post it, and reads the answer. It
// reads no environment, and neither its errors nor its log hold anything that was sent or answered. Only edges that
// speak to endpoints import it.
package endpoint

import (
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// Settings says how one endpoint is asked.
type Settings struct {
	Name      string      // what errors call it: "model endpoint"
	Sent      string      // what it refuses: "request", "texts"
	Unknown   string      // what it does not know if it says NotFound: "model or address"
	Complains []string    // more words of a 400 or 422 that means NotFound; lower case
	Label     string      // the provider, in metrics and in the log
	Model     string      // in the log
	Base      string      // its address, as of Address
	Header    http.Header // of each request

	Concurrency int           // requests under way at once
	Careful     bool          // begin with one at a time, and allow more while answers are quick
	Tries       int           // requests for one job while the endpoint fails
	FirstWait   time.Duration // before the second try, if the endpoint does not say; doubles with each further one
	Timeout     time.Duration // of one request, and of the wait for one of Concurrency; 0: only the job's own bounds it

	// Hurried is for callers who would rather be refused than wait. A pause of more than two seconds is not waited for:
	// everything fails at once until it is over, for five minutes at most. If a caller's time runs out, that shows that
	// the endpoint is too slow. If false, pauses are waited for as long as a job has time.
	Hurried bool

	// HTTP sends the requests; nil: one of our own. Redirects are never followed, so that what people said goes to no
	// third address.
	HTTP    *http.Client
	Metrics *Metrics         // nil: none
	Log     *slog.Logger     // told when an endpoint is left alone, why, and when it answers again; nil: none
	Now     func() time.Time // nil: the clock
	Jitter  func() float64   // 0 to 1, spreads retries; nil: random
}

// Client asks one endpoint. It is safe for concurrent use.
type Client struct {
	s       Settings
	slots   *slots
	breaker *breaker
	pause   pause
}

// New returns a client. It does no I/O.
func New(s Settings) *Client {
	if s.Now == nil {
		s.Now = time.Now
	}
	if s.Jitter == nil {
		s.Jitter = rand.Float64
	}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	var client http.Client
	if s.HTTP != nil {
		client = *s.HTTP
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s.HTTP = &client
	c := &Client{s: s, slots: newSlots(s.Concurrency, s.Careful)}
	c.breaker = &breaker{Now: s.Now, Tell: c.tell, Heeds: s.Hurried}
	return c
}

// tell logs that the endpoint is left alone from now on, and why; or, without a failure, that it answers again.
func (c *Client) tell(failed error) {
	c.s.Metrics.open(failed != nil)
	if failed == nil {
		c.s.Log.Info("the "+c.s.Name+" answers again", "provider", c.s.Label, "model", c.s.Model) //nolint:sloglint // the name is one of two
		return
	}
	c.s.Log.Warn("the "+c.s.Name+" is left alone for a while", //nolint:sloglint // likewise
		"provider", c.s.Label, "model", c.s.Model,
		"kind", string(recaller.KindOf(failed)), "err", failed)
}

// Address makes an endpoint's base URL of what people write. It drops the given ends of a path, and adds bare if there
// is no path. ok is false if it is no http or https URL.
func Address(base, bare string, ends ...string) (address string, ok bool) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", false
	}
	u.RawQuery, u.Fragment, u.RawPath = "", "", ""
	u.Path = strings.TrimRight(u.Path, "/")
	for _, end := range ends {
		u.Path = strings.TrimRight(strings.TrimSuffix(u.Path, end), "/")
	}
	if u.Path == "" {
		u.Path = bare
	}
	return u.String(), true
}
