package carriertest

import (
	"net/http"
	"strings"
	"time"
)

// Clock has the fake go by another clock than the machine's.
func (c *Carrier) Clock(now func() time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Put sets how a call stands, as Twilio tells who asks.
func (c *Carrier) Put(id, status string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.rings {
		if c.rings[i].ID == id {
			c.rings[i].Status = status
		}
	}
}

// resource is a call or a text as Twilio lists it.
func resource(id, status string, at time.Time) map[string]any {
	return map[string]any{"sid": id, "status": status, "date_created": at.UTC().Format(time.RFC1123Z)}
}

// list answers which calls, or texts, there are between two numbers, the newest first.
func (c *Carrier) list(w http.ResponseWriter, r *http.Request) {
	f, fails := c.begin()
	defer c.end()
	if account, token, _ := r.BasicAuth(); fails || account != Account || token != Token {
		answer(w, max(f.status, http.StatusUnauthorized), map[string]any{"code": f.code})
		return
	}
	from, to := r.URL.Query().Get("From"), r.URL.Query().Get("To")
	found := []map[string]any{}
	for _, ring := range c.rings {
		if ring.Form.Get("From") == from && ring.Form.Get("To") == to {
			found = append([]map[string]any{resource(ring.ID, ring.Status, ring.At)}, found...)
		}
	}
	what := "calls"
	if r.PathValue("what") == "Messages.json" {
		what, found = "messages", nil
		for _, t := range c.texts {
			if t.From == from && t.To == to {
				found = append([]map[string]any{resource(t.ID, "sent", c.sentAt[t.ID])}, found...)
			}
		}
	}
	answer(w, http.StatusOK, map[string]any{what: found, "page": 0})
}

// call answers how one call stands.
func (c *Carrier) call(w http.ResponseWriter, r *http.Request) {
	f, fails := c.begin()
	defer c.end()
	if fails {
		answer(w, f.status, map[string]any{"code": f.code})
		return
	}
	for _, ring := range c.rings {
		if ring.ID == strings.TrimSuffix(r.PathValue("id"), ".json") {
			answer(w, http.StatusOK, resource(ring.ID, ring.Status, ring.At))
			return
		}
	}
	answer(w, http.StatusNotFound, map[string]any{"code": 20404})
}
