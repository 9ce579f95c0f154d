package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// Every sentence of a soak has a word of its own, which says who said it: so wherever a text comes from, it tells whether
// it may be there. The letters are such that no rule reads anything into them, and no stem is shorter.
const (
	soakLetters = "bcfghjkmprtvwx"
	soakWord    = "qz" // how they begin, and nothing else does
)

var soakWords = regexp.MustCompile(`(?i)` + soakWord + `[` + soakLetters + `]{10}`)

// speech is what a word of a soak says: who, as the how-manieth person under his number, and his how-manieth sentence.
type speech struct{ tenant, caller, self, n int }

// word is the word of a sentence.
func (p speech) word() string {
	var b strings.Builder
	b.WriteString(soakWord)
	for _, part := range []struct{ v, width int }{{p.tenant, 1}, {p.caller, 3}, {p.self, 2}, {p.n, 4}} {
		digits := make([]byte, part.width)
		for i := range digits {
			digits[part.width-1-i] = soakLetters[part.v%len(soakLetters)]
			part.v /= len(soakLetters)
		}
		b.Write(digits)
	}
	return b.String()
}

// speechOf reads a word.
func speechOf(word string) speech {
	word = strings.ToLower(word)[len(soakWord):]
	number := func(s string) (v int) {
		for _, r := range s {
			v = v*len(soakLetters) + strings.IndexRune(soakLetters, r)
		}
		return v
	}
	return speech{tenant: number(word[:1]), caller: number(word[1:4]), self: number(word[4:6]), n: number(word[6:])}
}

// asker is who asks, and about whom: what may be in the answer.
type asker struct {
	tenant *soakTenant
	caller *soakCaller // nil: about all of the tenant
}

type askerKey struct{}

// asks makes requests with a context those of somebody.
func (a asker) asks(ctx context.Context) context.Context {
	return context.WithValue(ctx, askerKey{}, a)
}

// listening reads every answer of the server that is no stream, and holds each word in it against what may be there.
type listening struct {
	s    *soak
	next http.RoundTripper
}

// RoundTrip makes the request.
func (l listening) RoundTrip(r *http.Request) (*http.Response, error) {
	began := time.Now()
	res, err := l.next.RoundTrip(r)
	if err != nil || strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		return res, err
	}
	body, broken := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if a, ok := r.Context().Value(askerKey{}).(asker); ok && !strings.HasSuffix(r.URL.Path, "/keys") { // a key may look like a word
		l.s.heard(a, fmt.Sprintf("%s %s", r.Method, r.URL.Path), began, body)
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	if broken != nil {
		res.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{broken}))
	}
	return res, nil
}

// failing is a body that breaks off.
type failing struct{ err error }

// Read fails.
func (f failing) Read([]byte) (int, error) { return 0, f.err }

// heard holds a text that was asked for at a time against what may be in it: words of the tenant's callers, or of one,
// that they did say, and of nobody who had been erased by then.
func (s *soak) heard(a asker, where string, at time.Time, text []byte) {
	for _, word := range soakWords.FindAll(text, -1) {
		p := speechOf(string(word))
		who := s.callerOf(p)
		switch {
		case who == nil || !who.said(p):
			s.violated(a.caller, "%s has a word that nobody said: %s", where, word)
		case who.tenant != a.tenant:
			s.violated(a.caller, "%s tells a tenant what another's caller said: %s", where, word)
		case a.caller != nil && who != a.caller:
			s.violated(a.caller, "%s tells of a caller what another said: %s", where, word)
		case who.erasedBefore(p.self, at):
			s.violated(who, "%s has a word of somebody erased: %s", where, word)
		default:
			s.heardWords.Add(1)
		}
	}
}
