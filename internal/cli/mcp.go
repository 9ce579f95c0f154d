package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"unicode"

	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/cli/term"
)

// mcpCmd is `recaller mcp`.
type mcpCmd struct {
	Caller who `placeholder:"PHONE" optional:"" help:"Bind the connection to one caller: no tool needs a number, and none reaches another caller"`
}

// Help says what it is.
func (*mcpCmd) Help() string {
	return "The Model Context Protocol over standard input and output, for programs that start their servers " +
		"themselves (Claude Desktop, Cursor, VS Code and others). What comes in is passed on to the server at /mcp, " +
		"with its key: the one that runs, else the data folder, opened in this process. Such a program starts it in " +
		"a folder of its own choice, so give --data with a whole path, or --server and RECALLER_API_KEY. For what " +
		"speaks HTTP, the address is that of the server with /mcp."
}

// Examples are lines to try.
func (*mcpCmd) Examples() []string {
	return []string{
		"recaller mcp --data /var/lib/recaller",
		"RECALLER_API_KEY=rk_… recaller mcp --server https://memory.example.com",
		"recaller mcp --data /var/lib/recaller --caller +15550100199",
	}
}

// Run passes messages on until standard input ends.
func (c *mcpCmd) Run(ctx context.Context, s *session) error {
	at, err := s.reach(ctx)
	if err != nil {
		return err
	}
	b := &bridge{
		url: strings.TrimSuffix(at.base, "/") + "/mcp", key: at.key, caller: strings.TrimSpace(string(c.Caller)),
		agent: "recaller-mcp/" + s.version, http: &http.Client{Transport: at.transport}, out: s.out, err: s.err,
		calls: map[string]context.CancelFunc{},
	}
	return b.run(ctx, s.in)
}

// maxMessage bounds one message of a client's. The server has a bound of its own.
const maxMessage = 8 << 20

// maxCalls is how many calls may wait for their answers at once.
const maxCalls = 32

// bridge passes messages on: lines of JSON here, requests of HTTP there. It knows nothing of what they say but what the
// headers of HTTP must repeat.
type bridge struct {
	url, key, caller, agent string
	http                    *http.Client
	err                     io.Writer

	mu      sync.Mutex // guards what follows
	out     io.Writer
	version string                        // of the protocol, as it was agreed on; empty: each message says
	calls   map[string]context.CancelFunc // by the ids of those that wait for an answer
}

// message is what a bridge reads of one.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		URI       string          `json:"uri"`
		RequestID json.RawMessage `json:"requestId"`
		Meta      struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
}

// run passes on what comes in until it ends, and waits for the answers.
func (b *bridge) run(ctx context.Context, in io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines := make(chan []byte)
	broken := make(chan error, 1)
	go func() { broken <- readLines(ctx, in, lines) }()
	var waiting sync.WaitGroup
	defer waiting.Wait()
	slots := make(chan struct{}, maxCalls)
	for {
		select {
		case <-ctx.Done():
			return nil
		case line, more := <-lines:
			if !more {
				return <-broken
			}
			var m message
			if err := json.Unmarshal(line, &m); err != nil {
				b.fail(json.RawMessage("null"), parseError, "the message is not valid JSON, or no message of the protocol")
				continue
			}
			if m.ID == nil || m.Method == "initialize" { // in order: what follows may count on it
				b.pass(ctx, m, line)
				continue
			}
			slots <- struct{}{}
			waiting.Go(func() { defer func() { <-slots }(); b.pass(ctx, m, line) })
		}
	}
}

// readLines sends each line of a reader that is not empty.
func readLines(ctx context.Context, in io.Reader, lines chan<- []byte) error {
	defer close(lines)
	scan := bufio.NewScanner(in)
	scan.Buffer(make([]byte, 64<<10), maxMessage)
	for scan.Scan() {
		line := bytes.TrimSpace(scan.Bytes())
		if len(line) == 0 {
			continue
		}
		select {
		case lines <- bytes.Clone(line):
		case <-ctx.Done():
			return nil
		}
	}
	if err := scan.Err(); err != nil {
		return fmt.Errorf("read a message: %w", err)
	}
	return nil
}

// pass passes one message on, and its answer back. A call that the client takes back gets none.
func (b *bridge) pass(ctx context.Context, m message, line []byte) {
	if m.Method == "notifications/cancelled" {
		b.cancel(m.Params.RequestID)
		return
	}
	ctx, done := b.begin(ctx, m.ID)
	defer done()
	status, body, err := b.post(ctx, m, line)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		b.fail(m.ID, serverError, "the server does not answer: "+err.Error())
	case len(bytes.TrimSpace(body)) == 0:
	case isMessage(body):
		b.learn(m, body)
		b.write(body)
	default:
		b.fail(m.ID, serverError, saying(status, body))
	}
}

func (b *bridge) begin(ctx context.Context, id json.RawMessage) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if id == nil {
		return ctx, cancel
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls[string(id)] = cancel
	return ctx, func() {
		b.mu.Lock()
		delete(b.calls, string(id))
		b.mu.Unlock()
		cancel()
	}
}

func (b *bridge) cancel(id json.RawMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if cancel := b.calls[string(id)]; cancel != nil {
		cancel()
	}
}

// post sends a message with the headers that its version of the protocol asks for.
func (b *bridge) post(ctx context.Context, m message, line []byte) (status int, body []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.url, bytes.NewReader(line))
	if err != nil {
		return 0, nil, fmt.Errorf("make a request: %w", err)
	}
	h := req.Header
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	h.Set("User-Agent", b.agent)
	if b.key != "" {
		h.Set("Authorization", "Bearer "+b.key)
	}
	if b.caller != "" {
		h.Set("X-Recaller-Caller", b.caller)
	}
	b.mu.Lock()
	version := b.version
	b.mu.Unlock()
	if m.Params.Meta.Version != "" {
		version = m.Params.Meta.Version
		h.Set("Mcp-Method", headerText(m.Method))
		if name := m.Params.Name + m.Params.URI; name != "" {
			h.Set("Mcp-Name", headerText(name))
		}
	}
	if version != "" {
		h.Set("MCP-Protocol-Version", headerText(version))
	}
	res, err := b.http.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	body, err = io.ReadAll(res.Body)
	return res.StatusCode, body, err
}

// headerText writes a text as a header can hold it.
func headerText(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > unicode.MaxASCII }) < 0 {
		return s
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

// learn notes which version the server agreed to.
func (b *bridge) learn(m message, body []byte) {
	var answer struct {
		Result struct {
			Version string `json:"protocolVersion"`
		} `json:"result"`
	}
	if m.Method != "initialize" || json.Unmarshal(body, &answer) != nil {
		return
	}
	b.mu.Lock()
	b.version = answer.Result.Version
	b.mu.Unlock()
}

func isMessage(body []byte) bool {
	var m struct {
		Version string `json:"jsonrpc"`
	}
	return json.Unmarshal(body, &m) == nil && m.Version != ""
}

// The codes of the failures that the bridge tells of.
const (
	parseError  = -32700
	serverError = -32000
)

// saying is why the server refused a message.
func saying(status int, body []byte) string {
	var p client.Problem
	if json.Unmarshal(body, &p) == nil && p.Detail != "" {
		if status == http.StatusUnauthorized {
			return p.Detail + " (give recaller mcp a key by RECALLER_API_KEY, or the data folder by --data)"
		}
		return p.Detail
	}
	text := strings.TrimSpace(term.Clean(string(body)))
	if text == "" || len(text) > 200 {
		return fmt.Sprintf("the server answered %d", status)
	}
	return text
}

// fail answers a message that was not carried out, or tells of a notification that was not, to which nobody is to
// answer.
func (b *bridge) fail(id json.RawMessage, code int, why string) {
	if id == nil {
		fmt.Fprintln(b.err, "recaller mcp: "+term.Clean(why))
		return
	}
	text, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": why},
	})
	if err == nil {
		b.write(text)
	}
}

// write writes one message as one line.
func (b *bridge) write(body []byte) {
	var line bytes.Buffer
	if err := json.Compact(&line, body); err != nil {
		return
	}
	line.WriteByte('\n')
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, err := b.out.Write(line.Bytes()); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		fmt.Fprintln(b.err, "recaller mcp: the answer could not be written:", err)
	}
}
