// Package carriertest is a fake of the carriers' APIs, Twilio's and Telnyx's, for tests: it takes texts and calls over real
// HTTP, keeps them, and fails as it is told. It checks what the real ones check: the account, the key, that numbers are
// numbers, and that nobody is texted who told it to stop.
package carriertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/carrier"
)

// By what the fake knows its customer.
const (
	Account   = "AC00000000000000000000000000000000"
	Token     = "0123456789abcdef0123456789abcdef"
	TelnyxKey = "KEY00000000000000000000000000000"
)

// Text is a text that was taken.
type Text struct {
	ID, From, To, Words string // the numbers as they came: those of WhatsApp begin with "whatsapp:"
	StatusTo            string
	By                  recaller.Carrier
}

// Ring is a call that was taken.
type Ring struct {
	ID     string
	Form   url.Values
	At     time.Time
	Status string // as Twilio tells it: "queued", until Put says another
}

// Carrier is the fake. Make it with New.
type Carrier struct {
	*httptest.Server

	mu      sync.Mutex
	now     func() time.Time
	sentAt  map[string]time.Time // by the id of a text
	texts   []Text
	rings   []Ring
	stopped []string      // numbers that are not texted
	failing []failure     // of the next requests
	asked   int           // requests, also those that failed
	came    chan struct{} // closed, and made anew, with each request
}

// failure is how a request fails.
type failure struct {
	status, code int
	taken        bool // it is carried out all the same, and the connection breaks
}

// New starts a fake.
func New(t testing.TB) *Carrier {
	t.Helper()
	c := &Carrier{came: make(chan struct{}), now: time.Now, sentAt: map[string]time.Time{}} //nolint:forbidigo // the fake's own clock, unless it is given one
	mux := http.NewServeMux()
	mux.HandleFunc("POST /2010-04-01/Accounts/{account}/{what}", c.twilio)
	mux.HandleFunc("GET /2010-04-01/Accounts/{account}/{what}", c.list)
	mux.HandleFunc("GET /2010-04-01/Accounts/{account}/Calls/{id}", c.call)
	mux.HandleFunc("POST /v2/messages", c.telnyx)
	c.Server = httptest.NewServer(mux)
	t.Cleanup(c.Close)
	return c
}

// Settings are those of a client of the fake.
func (c *Carrier) Settings() carrier.Settings {
	return carrier.Settings{
		TwilioAccount: Account, TwilioTokens: []string{Token}, TwilioURL: c.URL,
		TelnyxKey: TelnyxKey, TelnyxURL: c.URL + "/v2",
	}
}

// Stop has the fake refuse texts to a number, as after its STOP.
func (c *Carrier) Stop(number string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = append(c.stopped, number)
}

// Fail has the next requests answered with a status, and Twilio's number for what is wrong (0: none).
func (c *Carrier) Fail(times, status, code int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failing = append(c.failing, slices.Repeat([]failure{{status: status, code: code}}, times)...)
}

// BreakOff has the next request carried out, and its connection broken before the answer.
func (c *Carrier) BreakOff() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failing = append(c.failing, failure{taken: true})
}

// Texts are those that were taken, in order.
func (c *Carrier) Texts() []Text {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.texts)
}

// Rings are the calls that were taken, in order.
func (c *Carrier) Rings() []Ring {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.rings)
}

// Asked is how many requests came, also those that failed.
func (c *Carrier) Asked() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked
}

// Wait waits until something is true of the fake, and looks again after each request. It fails the test after half a minute.
func (c *Carrier) Wait(t testing.TB, what string, is func() bool) {
	t.Helper()
	late := time.After(30 * time.Second)
	for {
		c.mu.Lock()
		came := c.came
		c.mu.Unlock()
		if is() {
			return
		}
		select {
		case <-came:
		case <-late:
			t.Fatalf("the carrier waits in vain: %s", what)
		}
	}
}

// WaitTexts waits until so many texts were taken, and returns all.
func (c *Carrier) WaitTexts(t testing.TB, n int) []Text {
	t.Helper()
	c.Wait(t, fmt.Sprintf("%d texts", n), func() bool { return len(c.Texts()) >= n })
	return c.Texts()
}

// begin notes a request, and returns how it fails. Its lock is held until end.
func (c *Carrier) begin() (f failure, fails bool) {
	c.mu.Lock()
	c.asked++
	if len(c.failing) == 0 {
		return f, false
	}
	f, c.failing = c.failing[0], c.failing[1:]
	return f, true
}

func (c *Carrier) end() {
	close(c.came)
	c.came = make(chan struct{})
	c.mu.Unlock()
}

// number is how numbers look.
var number = regexp.MustCompile(`^(whatsapp:)?\+[1-9][0-9]{6,14}$`)

func (c *Carrier) twilio(w http.ResponseWriter, r *http.Request) {
	f, fails := c.begin()
	defer c.end()
	account, token, _ := r.BasicAuth()
	_ = r.ParseForm()
	to, from := r.PostForm.Get("To"), r.PostForm.Get("From")
	status, code := 0, 0
	switch {
	case fails && !f.taken:
		status, code = f.status, f.code
	case account != Account || token != Token:
		status, code = http.StatusUnauthorized, 20003
	case r.PathValue("account") != Account:
		status, code = http.StatusNotFound, 20404
	case !number.MatchString(to) || strings.HasPrefix(to, "whatsapp:") != strings.HasPrefix(from, "whatsapp:"):
		status, code = http.StatusBadRequest, 21211
	case !number.MatchString(from):
		status, code = http.StatusBadRequest, 21212
	}
	id := fmt.Sprintf("%032x", c.asked)
	switch {
	case status != 0:
	case r.PathValue("what") == "Messages.json":
		id = "SM" + id
		words := r.PostForm.Get("Body")
		switch {
		case slices.Contains(c.stopped, to):
			status, code = http.StatusBadRequest, 21610
		case words == "":
			status, code = http.StatusBadRequest, 21602
		case len([]rune(words)) > 1600:
			status, code = http.StatusBadRequest, 21617
		default:
			c.texts = append(c.texts, Text{id, from, to, words, r.PostForm.Get("StatusCallback"), recaller.CarrierTwilio})
			c.sentAt[id] = c.now()
		}
	case r.PathValue("what") == "Calls.json":
		id = "CA" + id
		c.rings = append(c.rings, Ring{id, r.PostForm, c.now(), "queued"})
	default:
		status, code = http.StatusNotFound, 20404
	}
	if f.taken {
		hangUp(w)
		return
	}
	if status != 0 {
		answer(w, status, map[string]any{"code": code, "message": "it says who: " + to, "status": status})
		return
	}
	answer(w, http.StatusCreated, map[string]any{"sid": id, "status": "queued", "to": to})
}

func (c *Carrier) telnyx(w http.ResponseWriter, r *http.Request) {
	f, fails := c.begin()
	defer c.end()
	var in struct {
		From, To, Text string
		WebhookURL     string `json:"webhook_url"`
	}
	bad := json.NewDecoder(r.Body).Decode(&in)
	status, code := 0, ""
	switch {
	case fails && !f.taken:
		status, code = f.status, "10000"
	case r.Header.Get("Authorization") != "Bearer "+TelnyxKey:
		status, code = http.StatusUnauthorized, "10009"
	case bad != nil || !number.MatchString(in.To) || !number.MatchString(in.From) || in.Text == "":
		status, code = http.StatusUnprocessableEntity, "10015"
	case slices.Contains(c.stopped, in.To):
		status, code = http.StatusConflict, "40300"
	}
	id := fmt.Sprintf("%08x-0000-4000-8000-000000000000", c.asked)
	if status == 0 {
		c.texts = append(c.texts, Text{id, in.From, in.To, in.Text, in.WebhookURL, recaller.CarrierTelnyx})
	}
	switch {
	case f.taken:
		hangUp(w)
	case status != 0:
		answer(w, status, map[string]any{"errors": []any{map[string]any{"code": code, "detail": "it says who: " + in.To}}})
	default:
		answer(w, http.StatusOK, map[string]any{"data": map[string]any{"id": id, "record_type": "message"}})
	}
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// hangUp breaks the connection, so that whoever asked never knows.
func hangUp(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}
