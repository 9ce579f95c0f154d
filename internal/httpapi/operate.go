package httpapi

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/recallerhq/recaller/client"
)

// The page at /docs. It is self-contained: the browser draws it from /openapi.json.
var (
	//go:embed docs/page.html
	docsPage string
	//go:embed docs/page.css
	docsStyle string
	//go:embed docs/page.js
	docsScript string
)

func (s *server) operateRoutes() {
	add(s, route{
		id: "healthz", method: http.MethodGet, path: "/healthz", tag: tagOperation, summary: "Is it alive?",
		about: "The process runs. It asks nothing of the store.",
	}, func(context.Context, *exchange, *struct{}) (*plain[client.Health], error) {
		return &plain[client.Health]{client.Health{Status: "ok"}}, nil
	})
	add(s, route{
		id: "readyz", method: http.MethodGet, path: "/readyz", tag: tagOperation, summary: "Can it serve?",
		statuses: []int{http.StatusServiceUnavailable},
		about: "503, with the reason, while a part that is needed is away or has no room to write, and while the server " +
			"goes down. On a full disk calls go on all the same.",
	}, func(ctx context.Context, _ *exchange, _ *struct{}) (*plain[client.Health], error) {
		return body200(client.Health{Status: "ready"}, s.Ready(ctx))
	})
	s.file(route{
		id: "openapi-json", method: http.MethodGet, path: "/openapi.json", tag: tagOperation,
		summary: "This description, as JSON", about: "OpenAPI 3.1.",
	}, "application/openapi+json", sync.OnceValues(func() ([]byte, error) { return json.Marshal(s.api.OpenAPI()) }))
	s.file(route{
		id: "openapi-yaml", method: http.MethodGet, path: "/openapi.yaml", tag: tagOperation,
		summary: "This description, as YAML", about: "OpenAPI 3.1.",
	}, "application/openapi+yaml", sync.OnceValues(func() ([]byte, error) { return s.api.OpenAPI().YAML() }))
	s.docs()
	if s.opts.Gatherer != nil {
		s.metricsRoute()
	}
}

// file serves bytes that are made at the first request.
func (s *server) file(r route, contentType string, content func() ([]byte, error)) {
	add(s, r, func(_ context.Context, x *exchange, _ *struct{}) (*streamed, error) {
		raw, err := content()
		return &streamed{func(huma.Context) {
			x.w.Header().Set("Cache-Control", "no-cache")
			x.w.Header().Set("Content-Type", contentType)
			_, _ = x.w.Write(raw) // the client is gone: nobody is left to tell
		}}, err
	})
	s.answers(r, contentType)
}

// stream serves an answer that writes itself, and describes its type.
func (s *server) stream(r route, contentType string, write func(*exchange)) {
	add(s, r, func(_ context.Context, x *exchange, _ *struct{}) (*streamed, error) {
		return &streamed{func(huma.Context) { write(x) }}, nil
	})
	s.answers(r, contentType)
}

func (s *server) answers(r route, contentType string) {
	s.api.OpenAPI().Paths[r.path].Get.Responses["200"].Content = map[string]*huma.MediaType{
		contentType: {Schema: &huma.Schema{Type: huma.TypeString}},
	}
}

func (s *server) docs() {
	page := []byte(strings.NewReplacer("/*STYLE*/", docsStyle, "/*SCRIPT*/", docsScript).Replace(docsPage))
	policy := "default-src 'none'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
		"script-src " +
		source(docsScript) + "; style-src " + source(docsStyle)
	s.stream(route{
		id: "docs", method: http.MethodGet, path: "/docs", tag: tagOperation, summary: "This description, to read",
		about: "A page of its own that loads nothing from elsewhere.",
	}, "text/html", func(x *exchange) {
		h := x.w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Cache-Control", "no-cache")
		_, _ = x.w.Write(page) // the client is gone: nobody is left to tell
	})
}

// source allows one inline text in a content security policy by its hash.
func source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func (s *server) metricsRoute() {
	handler := promhttp.HandlerFor(s.opts.Gatherer, promhttp.HandlerOpts{})
	s.stream(route{
		id: "metrics", method: http.MethodGet, path: "/metrics", tag: tagOperation, summary: "Metrics",
		about: "Counts and durations for Prometheus; no content, nothing that names a tenant or a caller.",
	}, "text/plain", func(x *exchange) { handler.ServeHTTP(x.w, x.r) })
}
