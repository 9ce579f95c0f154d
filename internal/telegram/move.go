package telegram

import (
	"context"
	"sync"

	"github.com/go-telegram/bot/models"
)

// A group becomes another chat when Telegram makes a supergroup of it: the old one says where it went, the new one whence
// it came, and what is sent to the old one is refused with the new one's id. Whichever of the three is heard first, the
// group's threads go on, and what is still to be said in the old chat is said in the new one.

// move is a chat that became another one.
type move struct{ from, to int64 }

// moved returns what a notice of Telegram's says of it.
func moved(m *models.Message) (move, bool) {
	switch {
	case m.MigrateToChatID != 0:
		return move{m.Chat.ID, m.MigrateToChatID}, true
	case m.MigrateFromChatID != 0:
		return move{m.MigrateFromChatID, m.Chat.ID}, true
	}
	return move{}, false
}

// moves are those that this process heard of.
type moves struct {
	mu      sync.Mutex
	to      map[int64]int64
	pending map[move]bool // whose threads have not followed

	following sync.Mutex // held while threads follow
}

func newMoves() *moves { return &moves{to: map[int64]int64{}, pending: map[move]bool{}} }

func (ms *moves) heard(m move) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	if ms.to[m.from] != m.to {
		ms.to[m.from], ms.pending[m] = m.to, true
	}
}

// now returns the chat that a chat is now.
func (ms *moves) now(chat int64) int64 {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	if to, ok := ms.to[chat]; ok {
		return to
	}
	return chat
}

// of returns the move from or to a chat whose threads have not followed.
func (ms *moves) of(chat int64) (move, bool) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	for m := range ms.pending {
		if m.from == chat || m.to == chat {
			return m, true
		}
	}
	return move{}, false
}

func (ms *moves) followed(m move) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	delete(ms.pending, m)
}

// follow has the threads of a chat that moved go on where it is now.
func (b *Bot) follow(ctx context.Context, chat int64) error {
	b.moves.following.Lock()
	defer b.moves.following.Unlock()
	m, ok := b.moves.of(chat)
	if !ok {
		return nil
	}
	if err := b.Threads.Moved(ctx, tenant, chatRef+number(m.from), chatRef+number(m.to)); err != nil {
		b.Log.Warn("a group became a supergroup, and its threads do not follow yet", "err", err)
		return err
	}
	b.Log.Info("a group became a supergroup, and its threads go on there")
	b.moves.followed(m)
	return nil
}
