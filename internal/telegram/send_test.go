package telegram

import (
	"testing"
	"time"
)

// A chat gets a message a second, a group 20 a minute, and chats do not wait for one another.
func TestMessagesKeepTelegramsPace(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	var p Pace
	p.def()
	s := newSender(nil, p, func() time.Time { return now })
	direct, group := place{chat: 1}, place{chat: -2, group: true}
	for i, want := range []time.Duration{0, time.Second, 2 * time.Second} {
		if got := s.turn(direct); got != want {
			t.Errorf("message %d of a chat waits %v, want %v", i, got, want)
		}
	}
	var waits []time.Duration
	for range 21 {
		waits = append(waits, s.turn(group))
	}
	if waits[0] != 0 || waits[19] != 19*time.Second || waits[20] != time.Minute {
		t.Errorf("messages of a group wait %v", waits)
	}
	now = now.Add(time.Hour)
	s.hold(direct, 30*time.Second)
	if got := s.turn(direct); got != 30*time.Second {
		t.Errorf("after retry_after 30 it waits %v", got)
	}
	if got := s.turn(group); got != 0 {
		t.Errorf("an hour later a group waits %v", got)
	}
}

// Notices exist in every language, with the same gaps.
func TestNoticesAreWholeInEveryLanguage(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"en", "de-AT", "es", "xx", ""} {
		n := noticesIn(code)
		for _, s := range []string{n.help, n.strange, n.noModel, n.away, n.refused, n.late, n.deaf, n.mute, n.big, n.known, n.nothing, n.unknown, n.which, n.forgetWhat, n.forgetNot, n.private, n.personaNone, n.personaSet, n.personaLong, n.export, n.done, n.relayed} {
			if s == "" {
				t.Errorf("%q lacks a notice", code)
			}
		}
		for _, s := range []string{n.hello, n.id, n.forgotten, n.persona} {
			if fill(s, "X") == s {
				t.Errorf("%q: %q tells nothing", code, s)
			}
		}
	}
}
