package httpapi

import (
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/admission"
)

// importLimit is how long an import may take.
const importLimit = 5 * time.Minute

// maxImports is how many imports may be at work at once. Others wait for their turn. Where one tenant has imports only,
// three are at work.
const maxImports = 4

// maxExports is how many exports may be read at once; they last as long as who asks for them takes to read them.
const maxExports = 8

const importsAtWork = "other imports are at work; try again later"

// operations is the one table of what is served and what each operation needs. What it lacks is not served.
func operations(o Options) map[string]*admission.Operation {
	table := map[string]*admission.Operation{}
	declare := func(op admission.Operation, names ...string) {
		for _, name := range names {
			one := op
			one.Name = name
			if one.MaxBody == 0 {
				one.MaxBody = o.MaxBody
			}
			table[name] = &one
		}
	}
	declare(admission.Operation{Quiet: true}, "healthz", "readyz", "openapi-json", "openapi-yaml", "docs")
	declare(admission.Operation{Scope: recaller.ScopeRead},
		"list-conversations", "search-conversations", "get-conversation", "conversation-briefing",
		"find-callers", "get-caller", "caller-briefing", "caller-conversations", "caller-memories", "caller-agreements", "caller-moves",
		"recall", "check-receipt", "preview-persona", "memory-history", "get-checkpoint", "checkpoint-history", "get-tenant", "list-prompts", "list-packs",
		"get-pack", "get-persona", "list-personas",
		"list-tools", "list-reminders", "caller-reminders", "list-documents", "get-document", "query-documents",
		"list-threads", "get-thread", "thread-messages", "thread-prompt")
	declare(admission.Operation{Scope: recaller.ScopeAgent},
		"start-conversation", "add-turns", "verify-conversation", "speaker", "end-conversation", "update-caller",
		"store-memory", "update-memory", "forget-memory", "undo-memory", "put-checkpoint", "delete-checkpoint",
		"call-tool",
		"set-reminder", "remind-caller", "cancel-reminder", "retry-reminder",
		"create-document", "update-document", "merge-document", "delete-document", "deliver-document",
		"open-thread", "update-thread", "thread-reply", "create-web-chat-token")
	declare(admission.Operation{Scope: recaller.ScopeAdmin},
		"erase-caller", "put-pin", "delete-pin", "merge-caller", "split-caller", "undo-move", "release-number", "update-tenant", "create-key", "list-keys", "delete-key", "put-pack", "delete-pack", "put-persona", "activate-persona",
		"get-webhook", "put-webhook", "rotate-webhook", "delete-webhook", "list-deliveries", "resend-delivery", "resend-deliveries",
		"get-oauth", "put-oauth", "delete-oauth", "delete-web-chat-tokens",
		"get-upstream", "put-upstream", "delete-upstream")
	declare(admission.Operation{Scope: recaller.ScopeAdmin, Operator: true},
		"create-tenant", "list-tenants", "get-encryption", "rotate-encryption")
	declare(admission.Operation{Scope: recaller.ScopeRead, Operator: true}, "metrics")
	declare(admission.Operation{
		Scope: recaller.ScopeRead, Limit: admission.Lasting,
		Slots: admission.Cap(o.MaxStreams, "too many event streams are open; try again later"),
	}, "conversation-events", "tenant-events")
	declare(admission.Operation{
		Scope: recaller.ScopeAgent, Limit: importLimit, MaxBody: o.MaxImport,
		Bodies: admission.Bytes(2*o.MaxImport, importsAtWork),
	}, "import-conversations")
	declare(admission.Operation{
		Scope: recaller.ScopeAgent, Limit: exportLimit,
		Slots: admission.Cap(maxExports, "other exports are being read; try again later"),
	}, "export-caller")
	for _, name := range recaller.Tools() {
		declare(admission.Operation{Scope: recaller.ScopeAgent, OnceAs: string(name)}, toolOperation(name))
	}
	return table
}

// admit lets a request in, or answers why not.
func (s *server) admit(ctx huma.Context, next func(huma.Context)) {
	x := exchangeOf(ctx.Context())
	admitted, err := x.Admit(ctx.Context(), x.secret, s.operations[ctx.Operation().OperationID])
	if err != nil {
		x.refuse(err)
		return
	}
	// no id is like that, so the store need not be asked
	if path := ctx.URL().Path; !utf8.ValidString(path) || strings.ContainsRune(path, 0) {
		x.refuse(recaller.Errorf(recaller.NotFound, "there is nothing under an id that is no text"))
		return
	}
	if ctx.Operation().RequestBody == nil && !bare(x.r.Body) {
		x.refuse(recaller.Errorf(recaller.Invalid, "this route takes no body: what it has would change nothing"))
		return
	}
	next(huma.WithContext(ctx, admitted))
}

// bare reports whether a body says nothing: clients send {} where they have nothing to say.
func bare(body io.Reader) bool {
	if body == nil {
		return true
	}
	raw, err := io.ReadAll(io.LimitReader(body, 16))
	said := strings.TrimSpace(string(raw))
	return err == nil && (said == "" || said == "{}" || said == "null")
}
