package webchat

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/httpdoor"
)

//go:embed static/widget.js static/demo.html
var static embed.FS

// pages are what browsers load.
type pages struct {
	widget []byte // as it is served
	packed []byte // as it is served to who takes gzip, and that is every browser
	tag    string
	demo   *template.Template
	style  string // the hash of the page's style, by which a browser takes it
}

func newPages() (*pages, error) {
	source, err := static.ReadFile("static/widget.js")
	if err != nil {
		return nil, recaller.Wrap(recaller.Internal, err, "read the widget")
	}
	page, err := static.ReadFile("static/demo.html")
	if err != nil {
		return nil, recaller.Wrap(recaller.Internal, err, "read the page that shows the widget")
	}
	p := &pages{widget: squeezed(source)}
	if p.demo, err = template.New("demo").Parse(string(page)); err != nil {
		return nil, recaller.Wrap(recaller.Internal, err, "read the page that shows the widget")
	}
	_, rest, _ := strings.Cut(string(page), "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(style))
	p.style = base64.StdEncoding.EncodeToString(sum[:])
	sum = sha256.Sum256(p.widget)
	p.tag = base64.RawURLEncoding.EncodeToString(sum[:12])
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, recaller.Wrap(recaller.Internal, err, "pack the widget")
	}
	_, err = zip.Write(p.widget)
	if err = errors.Join(err, zip.Close()); err != nil {
		return nil, recaller.Wrap(recaller.Internal, err, "pack the widget")
	}
	p.packed = packed.Bytes()
	return p, nil
}

// squeezed leaves comments and indentation out of a script that has both on lines of their own.
func squeezed(source []byte) []byte {
	var out bytes.Buffer
	for line := range strings.Lines(string(source)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			out.WriteString(line + "\n")
		}
	}
	return out.Bytes()
}

// script serves the widget. It is the same for everybody, and holds nothing of anybody.
func (s *Server) script(x *exchange, w http.ResponseWriter, r *http.Request) error {
	x.what = widgetPath
	if _, err := x.Admit(r.Context(), "", &s.ops.page); err != nil {
		return err
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		return httpdoor.Simple(http.StatusMethodNotAllowed, "method_not_allowed", "the widget is read by GET")
	}
	h := w.Header()
	h.Set("Content-Type", "text/javascript; charset=utf-8")
	h.Set("Cache-Control", "public, max-age=3600")
	h.Set("Vary", "Accept-Encoding")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	body, tag := s.pages.widget, s.pages.tag
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body, tag = s.pages.packed, tag+"-gzip"
	}
	h.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	return nil
}

// demo serves a page that shows the widget, where the tenant lists the origin of this server.
func (s *Server) demo(x *exchange, w http.ResponseWriter, r *http.Request) error {
	if _, err := x.Admit(r.Context(), "", &s.ops.page); err != nil {
		return err
	}
	from := s.self(r)
	if !x.tenant.WebChat.Allows(from) {
		x.why = origin
		return recaller.Errorf(recaller.NotFound, "to see the widget here, add %s to the tenant's web_chat.origins", from)
	}
	var page bytes.Buffer
	if err := s.pages.demo.Execute(&page, map[string]string{
		"Tenant": string(x.tenant.ID), "Title": x.tenant.WebChat.Title, "Server": from,
	}); err != nil {
		return recaller.Wrap(recaller.Internal, err, "write the page that shows the widget")
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:; style-src 'sha256-"+s.pages.style+"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	_, _ = w.Write(page.Bytes()) // whoever is gone asks again
	return nil
}

// self is the origin by which a browser knows this server.
func (s *Server) self(r *http.Request) string {
	if u, err := url.Parse(s.opts.PublicURL); err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host) {
		return u.Scheme + "://" + strings.ToLower(u.Host)
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + strings.ToLower(r.Host)
}
