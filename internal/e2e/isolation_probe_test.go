package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// document is the description with what requests are made of.
type document struct {
	Paths      map[string]map[string]described `json:"paths"`
	Components struct {
		Schemas map[string]*schema `json:"schemas"`
	} `json:"components"`
}

// described is one operation.
type described struct {
	ID         string `json:"operationId"`
	Scope      string `json:"x-scope"`
	About      string `json:"description"`
	Parameters []struct {
		Name   string  `json:"name"`
		In     string  `json:"in"`
		Schema *schema `json:"schema"`
	} `json:"parameters"`
	RequestBody struct {
		Content map[string]struct {
			Schema *schema `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`

	method, path string
}

// operators reports whether it needs a key of the operator's.
func (d described) operators() bool { return strings.Contains(d.About, "of the tenant `default`") }

// operations lists every operation, in an order that stays.
func (d document) operations() []described {
	var out []described
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			op := d.Paths[path][method]
			op.method, op.path = strings.ToUpper(method), path
			out = append(out, op)
		}
	}
	return out
}

// reach is a request of one tenant with another's ids: in the path, the query, the body. Placeholders in braces are
// filled with ids of the first tenant's, and for comparison with those of nobody; {id} is what the path is about.
type reach struct {
	status      int // for a key that is strong enough
	query, body string
	alone       bool // there is nothing to compare it with
}

// reaches says of every operation what it answers to another tenant's ids.
func reaches() map[string][]reach {
	none := func(body string) []reach { return []reach{{status: http.StatusNotFound, body: body}} }
	just := func(status int, body string) []reach { return []reach{{status: status, body: body, alone: true}} }
	tomorrow := `{"due_at":"` + time.Now().AddDate(0, 0, 1).UTC().Format(time.RFC3339) + `"}`
	all := map[string][]reach{
		"healthz": just(200, ""), "readyz": just(200, ""), "openapi-json": just(200, ""), "openapi-yaml": just(200, ""), "docs": just(200, ""),
		"metrics": just(200, ""), "create-tenant": just(422, `{"name":" "}`), "list-tenants": just(200, ""),
		"get-encryption": just(200, ""), "rotate-encryption": just(0, ""),

		"get-conversation": none(""), "conversation-briefing": none(""), "conversation-events": none(""),
		"add-turns": none(`{"speaker":"user","text":"a"}`), "verify-conversation": none(""), "end-conversation": none(`{}`), "speaker": none(`{"name":"call"}`),
		"list-conversations":   {{status: 200, query: "?caller_id={caller}"}, {status: 200, query: "?status=active&caller_id={caller}&limit=1"}},
		"start-conversation":   {{status: 422, body: `{"caller":{"external_id":"x","caller_id":"{caller}"}}`}, {status: 201, body: `{"caller":{"phone":"{phone}"}}`, alone: true}},
		"import-conversations": {{status: 422, body: `{"caller":{"external_id":"x"},"caller_id":"{caller}","started_at":"2026-01-05T08:00:00Z","turns":[]}`}},
		"check-receipt":        {{status: 422, body: `{"caller":"{caller}"}`}},
		"search-conversations": {
			{status: 200, body: `{"query":"name Anna book Saturday","caller_id":"{caller}"}`},
			{status: 200, body: `{"query":"{nothing}"}`},
		},

		"find-callers": {{status: 200, query: "?phone={phone in a query}"}, {status: 200, query: "?external_id={customer}"}, {status: 200, query: "?external_id={caller}"}},
		"get-caller":   none(""), "caller-briefing": none(""), "caller-agreements": none(""), "export-caller": none(""), "erase-caller": none(""), "update-caller": none(`{"name":"a"}`),
		"merge-caller": none(`{"from":"of-nobody"}`), "split-caller": none(`{"conversations":["{conversation}"]}`), "caller-moves": none(""),
		"put-pin": none(`{"pin":"4711"}`), "delete-pin": none(""),
		"undo-move": none(""), "release-number": {{status: 404, body: `{"phone":"{phone}"}`}},
		"caller-conversations": none(""), "caller-memories": none(""), "caller-reminders": none(""), "recall": none(`{"query":"Anna"}`),

		"store-memory": none(`{"type":"fact","key":"a","value":"b"}`), "update-memory": none(`{"value":"b"}`), "forget-memory": none(""),
		"undo-memory": none(`{"version":1}`), "memory-history": none(""), "set-reminder": none(tomorrow),
		"remind-caller":  none(`{"key":"a","value":"b",` + strings.TrimPrefix(tomorrow, "{")),
		"get-checkpoint": none(""), "put-checkpoint": none(`{"summary":"a"}`), "delete-checkpoint": none(""), "checkpoint-history": none(""),
		"list-reminders": {{status: 200, query: "?caller_id={caller}"}}, "cancel-reminder": none(""), "retry-reminder": none(""),

		"get-document": none(""), "update-document": none(`{"content":"b"}`), "delete-document": none(""), "deliver-document": none(""),
		"merge-document":  {{status: 422, body: `{"into":"of-nobody"}`}},
		"create-document": {{status: 404, body: `{"title":"a","content":"b","caller_id":"{caller}"}`}, {status: 422, body: `{"title":"a","content":"b","conversation_id":"{conversation}"}`}},
		"list-documents":  {{status: 404, query: "?caller_id={caller}"}, {status: 200, query: "?business=true&include_archived=true"}, {status: 200, query: "?tags={pack}"}},
		"query-documents": {{status: 404, body: `{"text":"Anna","caller_id":"{caller}"}`}, {status: 200, body: `{"text":"{nothing}"}`}, {status: 200, body: `{"tags":["{pack}"]}`}},

		"get-thread": none(""), "thread-messages": none(""), "thread-prompt": none(`{"message":"Anna"}`),
		"thread-reply": none(`{"message":"Anna","reply":"[FORGET: Anna] [LEARN: likes tea]"}`), "update-thread": none(`{"title":"a"}`),
		"list-threads": {{status: 200, query: "?caller_id={caller}"}},
		"open-thread":  {{status: 422, body: `{"caller":{"external_id":"x","caller_id":"{caller}"}}`}, {status: 201, body: `{"caller":{"external_id":"x"}}`, alone: true}},

		"get-tenant": just(200, ""), "create-key": just(422, `{"scope":"{key}"}`), "list-keys": just(200, ""), "delete-key": none(""),
		"update-tenant": {{status: 409, body: `{"numbers":["{number}"]}`, alone: true}, {status: 422, body: `{"packs":["{pack}"]}`}},
		"list-prompts":  just(200, ""), "list-packs": just(200, ""), "get-pack": none(""), "put-pack": just(422, `{"name":"of-another-path"}`), "delete-pack": none(""),
		"get-webhook": just(404, ""), "put-webhook": just(422, `{"url":"{tenant}"}`), "delete-webhook": just(204, ""),
		"rotate-webhook": just(404, `{"overlap_seconds":60}`), "list-deliveries": just(200, ""), "resend-delivery": none(""), "resend-deliveries": just(200, ""), "tenant-events": just(200, ""),
		"get-oauth": just(404, ""), "put-oauth": just(409, `{"issuer":"https://{tenant}.example"}`), "delete-oauth": just(204, ""),
		"get-upstream": just(404, ""), "put-upstream": just(422, `{"base_url":"{tenant}"}`), "delete-upstream": just(204, ""),
		"list-tools":            just(200, ""),
		"create-web-chat-token": just(409, `{"external_id":"{caller}"}`), "delete-web-chat-tokens": just(204, ""),

		"get-persona": just(200, ""), "put-persona": just(422, `{"text":" "}`), "list-personas": just(200, ""), "activate-persona": just(404, `{"version":9}`),
		"preview-persona": none(`{"text":"dry","caller_id":"{caller}"}`),
	}
	maps.Copy(all, toolReaches())
	return all
}

// toolReaches are the calls of tools with the first tenant's conversation, caller and account in turn.
func toolReaches() map[string][]reach {
	arguments := map[string]string{
		"tool-store-memory":  `"memoryType":"fact","key":"a","value":"b"`,
		"tool-update-memory": `"existingKey":"a","newValue":"b"`,
		"tool-forget-memory": `"key":"call"`,
		"tool-mark-private":  `"key":"call"`,
		"tool-set-reminder":  `"key":"call","dueAt":"2099-01-01T09:00:00Z"`,

		"tool-cancel-reminder": `"key":"call"`,
		"tool-list-reminders":  `"key":"call"`,
		"tool-recall":          `"query":"call"`,
		"tool-read-checkpoint": ``,
		"tool-save-checkpoint": `"summary":"call"`,
		"tool-someone-else":    `"name":"call"`,
		"tool-verify-caller":   `"pin":"4711"`,
	}
	ids := []string{
		`"callSessionId":"{conversation}","lineId":"{caller}","accountId":"{second}"`,
		`"callSessionId":"{conversation}","lineId":"{caller}","accountId":"{tenant}"`,
		`"callSessionId":"{conversation}","lineId":"{own caller}","accountId":"{second}"`,
		`"callSessionId":"{own conversation}","lineId":"{caller}","accountId":"{second}"`,
		`"callSessionId":"{own conversation}","lineId":"{own caller}","accountId":"{tenant}"`,
		`"callSessionId":"{order}","lineId":"{phone}","accountId":"{second}"`,
	}
	out := map[string][]reach{}
	for op, own := range arguments {
		for _, id := range ids {
			out[op] = append(out[op], reach{status: http.StatusNotFound, body: "{" + strings.TrimSuffix(id+","+own, ",") + "}"})
			out["call-tool"] = append(out["call-tool"], reach{status: http.StatusNotFound, body: `{"name":"` + strings.ReplaceAll(strings.TrimPrefix(op, "tool-"), "-", "_") + `",` + id + `,"arguments":{` + own + `}}`})
		}
	}
	return out
}

// slot is what stands in the place of a placeholder: in turn each of a list of the first tenant's, or what nobody has.
type slot struct {
	theirs []string
	nobody string
}

// slots are what requests are filled with; pick tells those of nobody apart.
func (w *wall) slots(pick int) map[string]slot {
	none := fmt.Sprintf("01990000-0000-7000-8000-%012d", pick)
	all := map[string]slot{
		"{conversation}": {append([]string{firstOrder}, w.theirs["conversation"]...), none},
		"{phone}":        {[]string{firstPhone}, "+14155550100"}, "{phone in a query}": {[]string{url.QueryEscape(firstPhone)}, url.QueryEscape("+14155550100")},
		"{customer}": {[]string{firstCustomer}, "customer-of-nobody"}, "{order}": {[]string{firstOrder}, "order-of-nobody"},
		"{number}": {[]string{firstNumber}, firstNumber}, "{pack}": {[]string{hidden}, "nothing"}, "{nothing}": {[]string{"Anna Saturday"}, "Anna Saturday"},
	}
	for _, kind := range []string{"caller", "memory", "reminder", "key", "tenant", "document", "thread"} {
		all["{"+kind+"}"] = slot{w.theirs[kind], none}
	}
	for placeholder, own := range map[string]string{"second": "second", "own conversation": "second's conversation", "own caller": "second's caller"} {
		id := w.theirs[own][0]
		all["{"+placeholder+"}"] = slot{[]string{id}, id}
	}
	return all
}

// picks is how many requests there are to make of templates until every id of the first tenant's has stood in every
// place for it.
func (w *wall) picks(templates ...string) int {
	most := 1
	for placeholder, s := range w.slots(0) {
		for _, t := range templates {
			if strings.Contains(named(t), placeholder) {
				most = max(most, len(s.theirs))
			}
		}
	}
	return most
}

// fill puts ids of the first tenant's, or of nobody's, in the place of placeholders.
func (w *wall) fill(template string, pick int, nobodys bool) string {
	template = named(template)
	for placeholder, s := range w.slots(pick) {
		with := s.theirs[pick%len(s.theirs)]
		if nobodys {
			with = s.nobody
		}
		template = strings.ReplaceAll(template, placeholder, with)
	}
	return template
}

// named says what the {id} or {name} of a path is of.
func named(template string) string {
	path, query, asks := strings.Cut(template, "?")
	noun := map[string]string{
		"/v1/conversations/{id}": "conversation", "/v1/callers/{id}": "caller", "/v1/memories/{id}": "memory",
		"/v1/reminders/{id}": "reminder", "/v1/keys/{id}": "key", "/v1/documents/{id}": "document", "/v1/threads/{id}": "thread", "/v1/packs/{name}": "pack",
	}[firstSegments(path)]
	if noun == "" {
		return template
	}
	path = strings.NewReplacer("{id}", "{"+noun+"}", "{name}", "{"+noun+"}").Replace(path)
	if asks {
		path += "?" + query
	}
	return path
}

// firstSegments is a path up to its first parameter.
func firstSegments(path string) string {
	head, rest, ok := strings.Cut(path, "{")
	if !ok {
		return path
	}
	name, _, _ := strings.Cut(rest, "}")
	return head + "{" + name + "}"
}

// maker makes requests from the description: well-formed ones, with the first tenant's ids wherever there may be one,
// and ones that are malformed or hostile in a place.
type maker struct {
	*wall
	random *rand.Rand
}

func pick[T any](m maker, list ...T) T { return list[m.random.IntN(len(list))] }

// hostile are values that break what is not careful.
var hostile = []string{
	"", " ", "null", "*", "%", "_", "' OR 1=1 --", `"; DROP TABLE callers; --`, "../../callers", "..%2f..%2f", "%00", "\x00", "\u202e", "{{7*7}}", "${jndi:ldap://x}",
	"-1", "0", "99999999999999999999", "1e309", "NaN", "true", "[]", "{}", "<script>alert(1)</script>", "\r\nX-Injected: 1", strings.Repeat("A", 5000), strings.Repeat("🦓", 400),
}

// theirId is an id of the first tenant's, of any kind, or something that looks like one.
func (m maker) theirID() string {
	kind := pick(m, "conversation", "caller", "memory", "reminder", "key", "tenant")
	id := pick(m, m.theirs[kind]...)
	switch m.random.IntN(12) {
	case 0:
		return strings.ToUpper(id)
	case 1:
		return " " + id + "\t"
	case 2:
		return m.theirs["tenant"][0] + pick(m, "/", ":", "|", "\x00", "%2f") + id
	case 3:
		return id + pick(m, "\x00", "%00", ";", "#", "' --", "*")
	case 4:
		return strings.ReplaceAll(id, "-", "")
	case 5:
		return pick(m, firstOrder, sharedOrder, firstCustomer, sharedCustomer, firstPhone, sharedPhone)
	case 6:
		return pick(m, hostile...)
	}
	return id
}

// request makes a request of an operation.
func (m maker) request(op described, key string) attempt {
	in := attempt{op: op.ID, method: op.method, key: key, header: map[string]string{}}
	in.path = m.path(op)
	if content, ok := op.RequestBody.Content["application/json"]; ok {
		in.body = m.body(content.Schema)
	}
	for _, p := range op.Parameters {
		if p.In == "header" && m.random.IntN(2) == 0 {
			in.header[p.Name] = pick(m, "1", "7", "999999")
		}
	}
	switch m.random.IntN(10) {
	case 0:
		in.method = pick(m, "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "get")
	case 1:
		in.header["Idempotency-Key"] = pick(m, firstOnce, m.theirID())
		if op.ID == "start-conversation" {
			in.header["Idempotency-Key"], in.body = firstOnce, onceBody
		}
	case 2:
		in.header[pick(m, "X-Tenant-Id", "X-Recaller-Tenant", "X-Account-Id", "X-Forwarded-User", "X-Forwarded-Host", "X-Original-Url", "Host", "Origin")] = m.theirs["tenant"][0]
	case 3:
		in.header["X-Api-Key"] = pick(m, m.forged()...)
	case 4:
		in.header["X-Http-Method-Override"] = pick(m, "DELETE", "GET", "PUT")
	case 5:
		in.header["Content-Type"] = pick(m, "text/plain", "application/x-www-form-urlencoded", "application/xml", "")
	case 6:
		in.header["Accept"] = pick(m, "text/html", "application/cbor", "text/event-stream", "*/*")
	case 7:
		if in.key = pick(m, m.forged()...); op.operators() {
			in.key = key
		}
	}
	for name, value := range in.header { // what a server never gets to see is no probe
		if strings.ContainsAny(value, "\x00\r\n") {
			delete(in.header, name)
		}
	}
	return in
}

func (m maker) path(op described) string {
	path := op.path
	for strings.Contains(path, "{") {
		head, rest, _ := strings.Cut(path, "{")
		_, tail, _ := strings.Cut(rest, "}")
		path = head + url.PathEscape(m.theirID()) + tail
	}
	query := url.Values{}
	for _, p := range op.Parameters {
		if p.In == "query" && m.random.IntN(3) > 0 {
			query.Set(p.Name, m.text(p.Name, p.Schema))
		}
	}
	if m.random.IntN(12) == 0 {
		query.Set(pick(m, "tenant", "tenant_id", "accountId", "key", "fields"), m.theirs["tenant"][0])
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

// text is the value of a parameter or a field that is a string.
func (m maker) text(name string, s *schema) string {
	name = strings.ToLower(name)
	switch {
	case m.random.IntN(15) == 0:
		return pick(m, hostile...)
	case s != nil && len(s.Enum) > 0:
		return fmt.Sprint(pick(m, s.Enum...))
	case name == "cursor":
		return pick(m, m.cursors...)
	case name == "phone" || name == "numbers":
		return pick(m, firstPhone, sharedPhone, firstNumber)
	case s != nil && s.Format == "date-time":
		return time.Date(2026, 1, 1+m.random.IntN(28), 9, 0, 0, 0, time.UTC).Format(time.RFC3339)
	case s != nil && (s.is("integer") || s.is("number")):
		return fmt.Sprint(m.random.IntN(100))
	case name == "external_id" || name == "call_id" || name == "contact_id" || name == "callid": // of their own making, and answered as given
		return pick(m, firstOrder, sharedOrder, firstCustomer, sharedCustomer)
	case strings.HasSuffix(name, "id"):
		return m.theirID()
	case strings.HasSuffix(name, "key"):
		return pick(m, "call", "tool", "once", "name")
	}
	return pick(m, "My name is Anna.", "Book a table for Saturday.", "call", "fact")
}

// body makes a body of a schema; now and then it is none.
func (m maker) body(s *schema) string {
	raw, err := json.Marshal(m.value("", s, 0))
	m.ok(err)
	switch m.random.IntN(15) {
	case 0:
		return string(raw[:len(raw)/2])
	case 1:
		return string(raw) + string(raw)
	case 2:
		return pick(m, hostile...)
	case 3:
		return strings.Repeat("[", 5000)
	}
	return string(raw)
}

// value makes a value of a schema.
func (m maker) value(name string, s *schema, depth int) any {
	switch {
	case s == nil || depth > 6:
		return map[string]any{}
	case s.Ref != "":
		return m.value(name, m.doc.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")], depth+1)
	case len(s.OneOf) > 0:
		return m.value(name, pick(m, s.OneOf...), depth+1)
	case m.random.IntN(40) == 0:
		return pick[any](m, nil, -1, 1e300, true, []any{}, map[string]any{"a": 1}, pick(m, hostile...))
	case s.is("object"):
		out := map[string]any{}
		for _, field := range slices.Sorted(maps.Keys(s.Properties)) {
			if slices.Contains(s.Required, field) || m.random.IntN(3) == 0 {
				out[field] = m.value(field, s.Properties[field], depth+1)
			}
		}
		if m.random.IntN(30) == 0 {
			out[pick(m, "tenant_id", "accountId", "tenant", "__proto__")] = m.theirs["tenant"][0]
		}
		return out
	case s.is("array"):
		return []any{m.value(name, s.Items, depth+1)}
	case s.is("integer"):
		return 1 + m.random.IntN(5)
	case s.is("number"):
		return 0.5
	case s.is("boolean"):
		return m.random.IntN(2) == 0
	}
	return m.text(name, s)
}
