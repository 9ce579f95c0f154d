package app

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/ears"
	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/telephony"
)

// listening makes the socket by which forwarded calls are listened to.
func (a *App) listening(by config.Deepgram) telephony.Socket {
	recogniser := ears.Recogniser{URL: by.URL, Key: by.APIKey.Reveal(), Model: by.Model}
	return &listened{ears.New(ears.Deps{
		Dial: recogniser.Dial(&http.Client{}), Wire: recogniser.Wire(), Turns: a.conversations, Events: a.events, Log: a.log,
		Metrics: ears.NewMetrics(a.registry),
		Now:     time.Now, // bounds of sockets go by the machine's clock, which does not jump
	}, ears.Options{})}
}

// listened knows whose the calls are that are listened to.
type listened struct{ ears *ears.Ears }

// Serve serves the socket of a call. Its end is the platform's, and waits until all is kept that was heard.
func (l *listened) Serve(w http.ResponseWriter, r *http.Request, take telephony.Take) {
	l.ears.Serve(w, r, func(_ context.Context, start mediastream.Start) (ears.Call, bool) {
		line, ok := take(start.Call, tokensOf(start, r)...)
		if !ok {
			return ears.Call{}, false
		}
		language, _, _ := strings.Cut(line.Language, "-")
		return ears.Call{
			Tenant: line.Tenant, Conversation: line.Conversation, Caller: line.Caller, Language: language,
			Over: func(ctx context.Context, _ ears.Outcome) { line.Over(ctx, nil) },
		}, true
	})
}
