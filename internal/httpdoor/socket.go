package httpdoor

import (
	"context"
	"errors"
	"time"
)

// Pinger is a socket of which a pong can be asked; *websocket.Conn is.
type Pinger interface {
	Ping(ctx context.Context) error
}

// Ping asks a socket each so often whether somebody is at its other end, until ctx ends or the socket does. silent: no pong
// came in time. A ping that is out is waited for, even if ctx ends: to give it up would break the socket.
func Ping(ctx context.Context, conn Pinger, each, pong time.Duration) (silent bool) {
	tick := time.NewTicker(each)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
		asked, cancel := context.WithTimeout(context.WithoutCancel(ctx), pong)
		err := conn.Ping(asked)
		cancel()
		if err != nil {
			return errors.Is(err, context.DeadlineExceeded)
		}
	}
}
