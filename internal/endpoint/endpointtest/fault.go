package endpointtest

import (
	"net"
	"net/http"
)

// Write answers with a body.
func Write(w http.ResponseWriter, status int, kind string, body []byte) {
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = w.Write(body) // where the client went there is nobody to tell
}

// BadGateway answers with a proxy's page.
func BadGateway(w http.ResponseWriter) {
	Write(w, http.StatusBadGateway, "text/html", []byte("<html><body><h1>502 Bad Gateway</h1></body></html>"))
}

// Page answers 200 with a page, as the login of a network does.
func Page(w http.ResponseWriter) {
	Write(w, http.StatusOK, "text/html", []byte("<html><body>Please log in</body></html>"))
}

// Redirect sends the request elsewhere.
func Redirect(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusTemporaryRedirect)
}

// Reset ends the connection without an answer; of TCP ones, with a reset.
func Reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // without it the end is merely less abrupt
	}
	_ = conn.Close()
}

// Held waits until released closes, and reports whether it did before the client went. nil: never.
func Held(r *http.Request, released <-chan struct{}) bool {
	select {
	case <-released:
		return true
	case <-r.Context().Done():
		return false
	}
}
