package sqlite

import (
	"context"
	"errors"
	"sync"
)

// idle holds the connections that nobody uses. The one that was given back last is taken first, because its cache holds
// what is asked for. In turns, each would have to read it. Safe for concurrent use.
type idle struct {
	free chan struct{} // one for each connection in list; closed when there will be no more

	mu   sync.Mutex // guards list
	list []*conn
}

func newIdle(most int) *idle { return &idle{free: make(chan struct{}, most)} }

// put gives a connection back.
func (i *idle) put(c *conn) {
	i.mu.Lock()
	i.list = append(i.list, c)
	i.mu.Unlock()
	i.free <- struct{}{}
}

// take waits for a connection. It fails with Timeout where ctx ends before, and with Unavailable after drain.
func (i *idle) take(ctx context.Context) (*conn, error) {
	select {
	case _, ok := <-i.free:
		if !ok {
			return nil, closed()
		}
	case <-ctx.Done():
		return nil, mapped(ctx.Err())
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	last := len(i.list) - 1
	c := i.list[last]
	i.list = i.list[:last]
	return c, nil
}

// drain waits for so many connections and closes them. There are no more afterwards.
func (i *idle) drain(n int) error {
	var errs []error
	for range n {
		c, err := i.take(context.Background())
		if err != nil {
			return errors.Join(append(errs, err)...)
		}
		errs = append(errs, c.close())
	}
	close(i.free)
	return errors.Join(errs...)
}
