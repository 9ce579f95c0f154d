package telephony

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// TelnyxURL is where Telnyx takes commands.
const TelnyxURL = "https://api.telnyx.com/v2"

// Commands tells Telnyx what to do with calls that its Call Control API brings. The zero value has no key.
type Commands struct {
	Key     string
	BaseURL string // with the version; empty: TelnyxURL
}

// How often a command is sent, and how long each time may take: Telnyx asks for another try after half a second without
// an answer. It knows a repeated one by its id for a minute.
const (
	commandTries   = 5
	commandTimeout = 500 * time.Millisecond // of the first try; then twice as long
	commandAgain   = 200 * time.Millisecond // between tries that failed at once
	maxRefusal     = 4 << 10                // bytes of an answer that are read
)

// commander sends commands.
type commander struct {
	Commands
	again  time.Duration
	client *http.Client
}

func newCommander(c Commands, again time.Duration) *commander {
	c.BaseURL = strings.TrimRight(cmp.Or(c.BaseURL, TelnyxURL), "/")
	return &commander{Commands: c, again: cmp.Or(again, commandAgain), client: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the key is for Telnyx
	}}
}

// ready reports whether there is a key.
func (c *commander) ready() bool { return c.Key != "" }

// do has Telnyx do something with a call. What it is for makes its id, with the call, so that a repeat of the event that
// led to it is no second command. A call that is over by then is no failure.
func (c *commander) do(ctx context.Context, call, action, purpose string, fields map[string]any) error {
	sum := sha256.Sum256([]byte(call + "\x00" + action + "\x00" + purpose))
	with := map[string]any{"command_id": hex.EncodeToString(sum[:16])}
	for name, v := range fields {
		with[name] = v
	}
	body, err := json.Marshal(with)
	if err != nil {
		return recaller.Wrap(recaller.Internal, err, "write a command")
	}
	address := c.BaseURL + "/calls/" + url.PathEscape(call) + "/actions/" + action
	wait := commandTimeout
	for try := 1; ; try++ {
		status, over, err := c.send(ctx, address, body, wait)
		switch {
		case err == nil && (status < 300 || over):
			return nil
		case err == nil && status < http.StatusInternalServerError && status != http.StatusTooManyRequests:
			return recaller.Errorf(recaller.Forbidden, "Telnyx refuses the command %s with status %d", action, status)
		case try == commandTries || ctx.Err() != nil:
			return errors.Join(recaller.Errorf(recaller.Unavailable, "Telnyx does not take the command %s (status %d)", action, status), err)
		}
		wait *= 2
		pause := time.NewTimer(c.again)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
		}
	}
}

// callIsOver is Telnyx's code for that.
const callIsOver = "90018"

// send sends a command once. over reports that the call is. What else the answer says may hold numbers, and is not kept.
func (c *commander) send(ctx context.Context, address string, body []byte, wait time.Duration) (status int, over bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, false, err
	}
	req.Header.Set("Authorization", "Bearer "+c.Key)
	req.Header.Set("Content-Type", "application/json")
	res, err := c.client.Do(req)
	var at *url.Error
	if errors.As(err, &at) { // the address has the id of the call
		err = at.Err
	}
	if err != nil {
		return 0, false, err
	}
	defer res.Body.Close()
	var said struct {
		Errors []struct {
			Code any `json:"code"` // a text or a number
		} `json:"errors"`
	}
	if json.NewDecoder(io.LimitReader(res.Body, maxRefusal)).Decode(&said) == nil && res.StatusCode == http.StatusUnprocessableEntity {
		for _, e := range said.Errors {
			over = over || fmt.Sprint(e.Code) == callIsOver
		}
	}
	return res.StatusCode, over, nil
}
