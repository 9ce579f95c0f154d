package e2e

import (
	"net"
	"sync"
	"testing"
	"time"
)

// wire is a line to a server that can break, hang and be slow: connections of TCP, passed on byte by byte. It stays
// where it is while the server behind it goes and comes.
type wire struct {
	ln net.Listener

	mu    sync.Mutex // guards all below
	to    func() (net.Conn, error)
	down  bool          // connections are closed at once
	hangs chan struct{} // closed when bytes move again; nil: they do
	delay time.Duration // of each piece
	conns map[net.Conn]struct{}
}

// newWire returns a wire that leads nowhere yet.
func newWire(t testing.TB) *wire {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{ln: ln, conns: map[net.Conn]struct{}{}}
	go w.accept()
	t.Cleanup(w.close)
	return w
}

func (w *wire) addr() string { return w.ln.Addr().String() }

// lead says where it leads to.
func (w *wire) lead(network, addr string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.to = func() (net.Conn, error) { return net.DialTimeout(network, addr, patience) }
}

// cut breaks all connections. down: new ones too, until it is called again.
func (w *wire) cut(down bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = down
	for c := range w.conns {
		_ = c.Close()
	}
}

// slow makes each piece of data late.
func (w *wire) slow(delay time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.delay = delay
}

// hang keeps every byte back, or lets them go again.
func (w *wire) hang(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case on && w.hangs == nil:
		w.hangs = make(chan struct{})
	case !on && w.hangs != nil:
		close(w.hangs)
		w.hangs = nil
	}
}

func (w *wire) close() {
	_ = w.ln.Close()
	w.hang(false)
	w.cut(true)
}

func (w *wire) accept() {
	for {
		c, err := w.ln.Accept()
		if err != nil {
			return // it is closed
		}
		go w.serve(c)
	}
}

func (w *wire) serve(in net.Conn) {
	w.mu.Lock()
	down, to := w.down, w.to
	w.mu.Unlock()
	if down || to == nil {
		_ = in.Close()
		return
	}
	out, err := to()
	if err != nil {
		_ = in.Close()
		return
	}
	w.mu.Lock()
	w.conns[in], w.conns[out] = struct{}{}, struct{}{}
	if w.down {
		_ = in.Close()
	}
	w.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { w.pass(in, out) })
	both.Go(func() { w.pass(out, in) })
	both.Wait()
	w.mu.Lock()
	delete(w.conns, in)
	delete(w.conns, out)
	w.mu.Unlock()
}

// pass passes bytes on until one of the two ends is closed, and then closes both.
func (w *wire) pass(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			w.wait()
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (w *wire) wait() {
	w.mu.Lock()
	hangs, delay := w.hangs, w.delay
	w.mu.Unlock()
	if hangs != nil {
		<-hangs
	}
	if delay > 0 {
		<-time.After(delay)
	}
}
