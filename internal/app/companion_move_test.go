package app

import (
	"fmt"
	"testing"

	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/telegram/telegramtest"
)

// ben is in Ana's groups.
const ben = 222

// addresses has somebody address the bot in a group.
func (c *companion) addresses(from, chat int64, kind, text string) {
	c.chat.Send(from, map[string]any{
		"text": "@recaller_bot " + text, "chat": map[string]any{"id": chat, "type": kind},
		"entities": []any{map[string]any{"type": "mention", "offset": 0, "length": 13}},
	})
}

// A group that becomes a supergroup keeps its threads: of the chat, of each user, of a topic. Either notice of Telegram's is
// enough, in any order, and so is the refusal of what is sent to the old chat; that is sent to the new one.
func TestAGroupThatBecomesASupergroupKeepsItsThreads(t *testing.T) {
	t.Parallel()
	c := accompanied(t, "RECALLER_TELEGRAM_USERS=111,222")
	said := 0
	hears := func(n int) { said += n; c.hears(said) }
	for i, heard := range map[int64]func(old, now int64){
		1: func(old, now int64) { c.chat.MigratedTo(old, now); c.chat.MigratedFrom(old, now) },
		2: func(old, now int64) { c.chat.MigratedFrom(old, now); c.chat.MigratedTo(old, now) },
		3: c.chat.MigratedTo,
		4: c.chat.MigratedFrom,
		5: func(old, _ int64) { c.addresses(ana, old, "group", "Do you hear me?"); hears(1) },
	} {
		old, now := -i, -1000-i
		c.addresses(ana, old, "group", "I prefer larch.")
		hears(1)
		c.addresses(ben, old, "group", "I prefer oak.")
		hears(1)
		was := []string{fmt.Sprintf("telegram:%d", old), fmt.Sprintf("telegram:%d/222", old), fmt.Sprintf("telegram:%d:12", old)}
		is := []string{fmt.Sprintf("telegram:%d", now), fmt.Sprintf("telegram:%d/222", now), fmt.Sprintf("telegram:%d:12", now)}
		c.open(was[2])
		var ids []string
		for _, id := range was {
			ids = append(ids, c.thread(id).ID)
		}
		c.chat.Migrate(old, now)
		heard(old, now)
		c.addresses(ana, now, "supergroup", "Which wood?")
		c.addresses(ben, now, "supergroup", "And mine?")
		hears(2)
		c.eventually("all updates are confirmed", func() bool { return c.chat.Unconfirmed() == 0 })
		for n, id := range is {
			if got := c.thread(id); got.ID != ids[n] {
				t.Errorf("%d: %s is another thread", i, id)
			}
			if _, err := c.Thread(t.Context(), was[n]); err == nil {
				t.Errorf("%d: %s is still a thread", i, was[n])
			}
		}
		want := 2
		if i == 5 {
			want = 3
		}
		if got := c.thread(is[0]); got.Exchanges != want {
			t.Errorf("%d: got %d exchanges, want %d", i, got.Exchanges, want)
		}
	}
}

// open begins a thread of Ana's.
func (c *companion) open(id string) {
	c.t.Helper()
	in := client.ThreadRequest{Caller: client.CallerRef{ExternalID: "telegram:111"}, ExternalID: id, Channel: "telegram"}
	if _, err := c.OpenThread(c.t.Context(), in); err != nil {
		c.t.Fatal(err)
	}
}

// Messages that wait in the old chat are answered in the new one, in the thread that has moved.
func TestWhatWaitsInAGroupIsAnsweredInItsSupergroup(t *testing.T) {
	t.Parallel()
	c := accompanied(t)
	c.chat.Hold("sendMessage", 0, telegramtest.Failure{Status: 500, Description: "Internal Server Error"})
	c.addresses(ana, -7, "group", "I prefer larch.")
	c.addresses(ana, -7, "group", "And three chairs.")
	c.chat.Await(t, "sendMessage failed", 1)
	c.chat.Migrate(-7, -1007)
	c.chat.MigratedTo(-7, -1007)
	c.addresses(ana, -1007, "supergroup", "Did you get that?")
	c.again()
	c.chat.Release("sendMessage")
	c.hears(3)
	c.eventually("all updates are confirmed", func() bool { return c.chat.Unconfirmed() == 0 })
	for _, sent := range c.chat.Calls("sendMessage") {
		if sent.Params["chat_id"] != "-1007" {
			t.Errorf("got %+v, want it in the new chat", sent.Params)
		}
	}
	if list, err := c.Threads(t.Context(), "", "", 10); err != nil || len(list.Threads) != 1 || list.Threads[0].Exchanges != 3 {
		t.Errorf("got %+v, %v, want the one thread with 3 exchanges", list, err)
	}
}
