package telegram

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"
)

// kinds are the updates that are asked for.
func kinds() []string { return []string{"message", "edited_message", "callback_query"} }

// update is one that came and is not confirmed yet.
type update struct {
	id   int64
	in   inbound
	came time.Time
	done chan struct{} // closed when it is done with
	late chan struct{} // closed when it is not to wait any longer
	over sync.Once
	rest []*update // the rest of its album, which is done with it
}

func (u *update) giveUp() { u.over.Do(func() { close(u.late) }) }

func (u *update) isLate() bool {
	select {
	case <-u.late:
		return true
	default:
		return false
	}
}

// inbox holds the updates from the first on that is not done with. Those that are stay as long as Telegram would send
// them again.
type inbox struct {
	mu     sync.Mutex
	held   map[int64]*update
	next   int64         // after the last one that came; 0: none came
	signal chan struct{} // something is done
}

func newInbox() *inbox { return &inbox{held: map[int64]*update{}, signal: make(chan struct{}, 1)} }

// add returns the update with an id, and whether it is new.
func (i *inbox) add(id int64, in inbound, now time.Time) (u *update, isNew bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if u = i.held[id]; u != nil {
		return u, false
	}
	u = &update{id: id, in: in, came: now, done: make(chan struct{}), late: make(chan struct{})}
	i.held[id], i.next = u, id+1
	return u, true
}

// finish is done with an update.
func (i *inbox) finish(u *update) {
	close(u.done)
	select {
	case i.signal <- struct{}{}:
	default:
	}
}

// offset returns the first update that is not done with, and that there is none; those before it are confirmed by it.
func (i *inbox) offset() (offset int64, idle bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	offset, idle = i.next, true
	for id, u := range i.held {
		select {
		case <-u.done:
		default:
			offset, idle = min(offset, id), false
		}
	}
	for id := range i.held {
		if id < offset || idle {
			delete(i.held, id)
		}
	}
	return offset, idle
}

// oldest returns the update that was not done with for the longest time; nil: there is none.
func (i *inbox) oldest() *update {
	offset, idle := i.offset()
	if idle {
		return nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.held[offset]
}

// Most updates that Telegram sends at once, and so those that can wait.
const most = 100

// maxRead is how much of an answer with updates is read.
const maxRead = 32 << 20

// patience is how often updates are asked for while one is not done with: Telegram answers with it at once.
const patience = time.Second

// poll asks for updates until ctx ends.
func (b *Bot) poll(ctx context.Context) {
	wait := b.opts.Pace.Retry
	for ctx.Err() == nil {
		offset, idle := b.inbox.offset()
		hold := b.opts.Pace.Poll
		if !idle {
			hold = 0
		}
		list, err := b.updates(ctx, offset, hold)
		switch {
		case err != nil:
			if ctx.Err() == nil {
				b.Log.Warn("Telegram gives no updates", "why", why(err), "again_in", wait)
			}
			if errors.Is(err, errWebhook) {
				_, _ = b.api.DeleteWebhook(ctx, &bot.DeleteWebhookParams{})
			}
			pause(ctx, max(wait, pauseOf(err)), nil)
			wait = min(2*wait, maxRetry/5)
			continue
		case b.take(ctx, list) > 0 || idle:
		default:
			if len(list) == most { // nothing else comes in before the oldest is done with
				if u := b.inbox.oldest(); u != nil {
					u.giveUp()
				}
			}
			pause(ctx, patience, b.inbox.signal)
		}
		wait = b.opts.Pace.Retry
	}
}

// take hands new updates to their chats, and returns how many there were. Those of one answer are in their chats before
// any is read.
func (b *Bot) take(ctx context.Context, list []json.RawMessage) (fresh int) {
	var touched []*chat
	for _, raw := range list {
		u, isNew := b.receive(raw)
		if !isNew {
			continue
		}
		fresh++
		if u != nil {
			touched = append(touched, b.queue(u))
		}
	}
	for _, c := range touched {
		b.start(ctx, c)
	}
	return fresh
}

// receive reads an update; nil: it is none, or nothing for the bot, and done with.
func (b *Bot) receive(raw []byte) (u *update, isNew bool) {
	var id struct {
		ID int64 `json:"update_id"`
	}
	if json.Unmarshal(raw, &id) != nil {
		return nil, false
	}
	var whole models.Update
	in, ours := inbound{}, false
	if json.Unmarshal(raw, &whole) == nil { // of a form that the library does not know: passed over
		in, ours = b.me.readUpdate(&whole)
	}
	if in.moved != nil { // before anything of the chat is answered
		b.moves.heard(*in.moved)
	}
	u, isNew = b.inbox.add(id.ID, in, b.Now())
	if isNew && !ours {
		b.count.WithLabelValues("ignored").Inc()
		b.inbox.finish(u)
		return nil, true
	}
	return u, isNew
}

// answer is what the Bot API answers.
type answer struct {
	OK          bool              `json:"ok"`
	Result      []json.RawMessage `json:"result"`
	ErrorCode   int               `json:"error_code"`
	Description string            `json:"description"`
	Parameters  struct {
		RetryAfter int `json:"retry_after"`
	} `json:"parameters"`
}

// updates asks for updates. The library's own loop confirms them before they are done with, so this is ours.
func (b *Bot) updates(ctx context.Context, offset int64, hold time.Duration) ([]json.RawMessage, error) {
	body, err := json.Marshal(map[string]any{
		"offset": offset, "limit": most, "timeout": int(hold / time.Second), "allowed_updates": kinds(),
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, hold+answerTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.opts.BaseURL+"/bot"+b.opts.Token+"/getUpdates", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := b.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var a answer
	if err := json.NewDecoder(io.LimitReader(res.Body, maxRead)).Decode(&a); err != nil {
		return nil, err
	}
	switch {
	case a.OK:
		return a.Result, nil
	case a.ErrorCode == http.StatusTooManyRequests:
		return nil, &bot.TooManyRequestsError{RetryAfter: a.Parameters.RetryAfter}
	case a.ErrorCode == http.StatusConflict && strings.Contains(a.Description, "webhook"):
		return nil, errWebhook
	case a.ErrorCode == http.StatusConflict:
		return nil, bot.ErrorConflict
	case a.ErrorCode == http.StatusUnauthorized:
		return nil, bot.ErrorUnauthorized
	}
	return nil, errFailed
}

// Path is where Handler is served.
const Path = "/telegram"

// originHeader has the secret that Telegram was told with the webhook.
const originHeader = "X-Telegram-Bot-Api-Secret-Token"

// secret is what tells Telegram's requests from others': derived from the token, which only the two know.
func secret(token string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("recaller telegram webhook"))
	return hex.EncodeToString(mac.Sum(nil))
}

// sendHere has Telegram send updates to the webhook; false: it refuses, and they are asked for instead.
func (b *Bot) sendHere(ctx context.Context) bool {
	for wait := b.opts.Pace.Retry; ; wait = min(2*wait, maxRetry) {
		_, err := b.api.SetWebhook(ctx, &bot.SetWebhookParams{
			URL: b.opts.Webhook, SecretToken: secret(b.opts.Token), AllowedUpdates: kinds(),
		})
		switch {
		case err == nil:
			return true
		case isRefused(err):
			b.Log.Warn("Telegram does not take the webhook, so it is asked for updates", "why", why(err))
			return false
		}
		if ctx.Err() == nil {
			b.Log.Warn("Telegram was not told of the webhook", "why", why(err), "again_in", wait)
		}
		if !pause(ctx, max(wait, pauseOf(err)), nil) {
			return false
		}
	}
}

// Bounds of a webhook's request.
const (
	maxUpdate  = 1 << 20
	holdUpdate = 40 * time.Second // then Telegram is to send it again
)

// Handler takes the updates that Telegram sends. It answers 200 when one is done with, 503 if that takes too long: then
// it comes again. Without the secret it answers 401.
func (b *Bot) Handler() http.Handler {
	want := []byte(secret(b.opts.Token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get(originHeader)), want) != 1 {
			http.Error(w, "not from Telegram", http.StatusUnauthorized)
			return
		}
		if r.Method != http.MethodPost {
			http.Error(w, "updates are posted", http.StatusMethodNotAllowed)
			return
		}
		select {
		case <-b.known:
		default:
			later(w)
			return
		}
		raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxUpdate))
		if err != nil {
			http.Error(w, "an update is at most 1 MiB", http.StatusRequestEntityTooLarge)
			return
		}
		u, isNew := b.receive(raw)
		if u == nil { // nothing for us
			return
		}
		t := time.NewTimer(holdUpdate)
		defer t.Stop()
		if isNew {
			select {
			case b.handed <- b.queue(u):
			case <-b.stopped:
			}
		}
		select {
		case <-u.done:
		case <-t.C:
			later(w)
		case <-b.stopped:
			later(w)
		case <-r.Context().Done():
		}
	})
}

func later(w http.ResponseWriter) {
	w.Header().Set("Retry-After", strconv.Itoa(5))
	http.Error(w, "not done with yet", http.StatusServiceUnavailable)
}

// dispatch starts the chats to which the webhook hands updates, until ctx ends.
func (b *Bot) dispatch(ctx context.Context) {
	for {
		select {
		case c := <-b.handed:
			b.start(ctx, c)
			b.inbox.offset() // forgets what is done with
		case <-ctx.Done():
			return
		}
	}
}
