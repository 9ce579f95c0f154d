package tenant_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/prompt"
	"github.com/recallerhq/recaller/internal/tenant"
)

// hookOf reads a webhook as another process finds it.
func (b *bench) hookOf(id recaller.TenantID) recaller.Webhook {
	b.Helper()
	w, err := b.serve().Webhook(b.Context(), id)
	b.ok(err)
	return w
}

func encoded(bytes int) string {
	return "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", bytes)))
}

func TestAWebhookIsSetAndTakenAway(t *testing.T) {
	b := newBench(t)
	made, _ := b.made("First")
	other, _ := b.made("Second")
	if w := b.hookOf(made.ID); w.Set() || w.Secret != "" {
		t.Errorf("at first: got %+v, want none", w)
	}
	first, err := b.SetWebhook(t.Context(), made.ID, tenant.WebhookInput{URL: "https://example.com/hook"})
	b.ok(err)
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(first.Secret, "whsec_"))
	if err != nil || len(key) != 32 || first.URL != "https://example.com/hook" {
		t.Errorf("got %+v, want a secret of 32 bytes", first)
	}
	moved, err := b.SetWebhook(t.Context(), made.ID, tenant.WebhookInput{URL: "http://localhost:9000"})
	if b.ok(err); moved.Secret != first.Secret || moved.URL != "http://localhost:9000" {
		t.Errorf("got %+v, want it elsewhere with the secret that it had", moved)
	}
	own, err := b.SetWebhook(t.Context(), made.ID, tenant.WebhookInput{URL: "https://example.com/hook", Secret: encoded(24)})
	if b.ok(err); own.Secret != encoded(24) {
		t.Errorf("got %+v, want the secret that was given", own)
	}
	if diff := cmp.Diff(own, b.hookOf(made.ID)); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	if w := b.hookOf(other.ID); w.Set() {
		t.Errorf("another tenant has it too: %+v", w)
	}
	b.ok(b.DeleteWebhook(t.Context(), made.ID))
	b.ok(b.DeleteWebhook(t.Context(), made.ID))
	if w := b.hookOf(made.ID); w.Set() || w.Secret != "" {
		t.Errorf("taken away: got %+v, want none", w)
	}
	again, err := b.SetWebhook(t.Context(), made.ID, tenant.WebhookInput{URL: "https://example.com/hook"})
	if b.ok(err); again.Secret == first.Secret || again.Secret == own.Secret {
		t.Error("a webhook that is set anew has the old secret")
	}
	_, err = b.SetWebhook(t.Context(), "nobody", tenant.WebhookInput{URL: "https://example.com"})
	b.is(err, recaller.NotFound, "")
	b.is(b.DeleteWebhook(t.Context(), "nobody"), recaller.NotFound, "")
}

func TestAWebhookSaysWhatItIsToldOf(t *testing.T) {
	b := newBench(t)
	made, _ := b.made("First")
	wanted := func() string {
		list, err := b.serve().WantedEvents(t.Context(), made.ID)
		b.ok(err)
		return fmt.Sprint(list)
	}
	if wanted() != "[]" {
		t.Errorf("without one: got %s", wanted())
	}
	_, err := b.SetWebhook(t.Context(), made.ID, tenant.WebhookInput{URL: "https://example.com"})
	if b.ok(err); wanted() != "[reminder.due]" {
		t.Errorf("at first: got %s", wanted())
	}
	yes, events := true, []recaller.EventType{recaller.EventConversationEnded, recaller.EventMemoryForgotten}
	set, err := b.SetWebhook(t.Context(), made.ID, tenant.WebhookInput{URL: "https://example.com", Events: &events, Content: &yes})
	if b.ok(err); !set.Content || wanted() != "[conversation.ended memory.forgotten]" {
		t.Errorf("got %+v, %s", set, wanted())
	}
	kept, err := b.SetWebhook(t.Context(), made.ID, tenant.WebhookInput{URL: "https://example.com/other"})
	if b.ok(err); !kept.Content || len(kept.Events) != 2 || kept.Secret != set.Secret {
		t.Errorf("what was not said: got %+v, want it as before", kept)
	}
	for name, bad := range map[string][]recaller.EventType{
		"none": {}, "unknown": {"conversation.begun"}, "twice": {recaller.EventReminderDue, recaller.EventReminderDue}, "empty": {""},
	} {
		_, err := b.SetWebhook(t.Context(), made.ID, tenant.WebhookInput{URL: "https://example.com", Events: &bad})
		if b.is(err, recaller.Invalid, "events"); wanted() != "[conversation.ended memory.forgotten]" {
			t.Errorf("%s: got %s", name, wanted())
		}
	}
	if list, err := b.WantedEvents(t.Context(), "nobody"); err != nil || len(list) != 0 {
		t.Errorf("a tenant that is not there: got %v, %v", list, err)
	}
}

func TestASecretIsRotated(t *testing.T) {
	b := newBench(t)
	made, _ := b.made("First")
	_, err := b.RotateWebhookSecret(t.Context(), made.ID, "", time.Hour)
	b.is(err, recaller.NotFound, "")
	first, err := b.SetWebhook(t.Context(), made.ID, tenant.WebhookInput{URL: "https://example.com"})
	b.ok(err)
	for _, bad := range []time.Duration{-time.Second, tenant.MaxOverlap + time.Second} {
		_, err = b.RotateWebhookSecret(t.Context(), made.ID, "", bad)
		b.is(err, recaller.Invalid, "overlap_seconds")
	}
	_, err = b.RotateWebhookSecret(t.Context(), made.ID, encoded(3), time.Hour)
	b.is(err, recaller.Invalid, "secret")
	second, err := b.RotateWebhookSecret(t.Context(), made.ID, "", time.Hour)
	b.ok(err)
	now := b.Now()
	if second.Secret == first.Secret || fmt.Sprint(second.Secrets(now)) != fmt.Sprint([]string{second.Secret, first.Secret}) {
		t.Errorf("got %+v, want a new one and the old one", second)
	}
	if late := second.Secrets(now.Add(time.Hour)); len(late) != 1 || late[0] != second.Secret {
		t.Errorf("after the overlap: got %v, want the new one alone", late)
	}
	_, err = b.RotateWebhookSecret(t.Context(), made.ID, "", time.Hour) // a repeat would lose what the receiver has
	b.is(err, recaller.Conflict, "")
	if diff := cmp.Diff(second, b.hookOf(made.ID)); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	third, err := b.RotateWebhookSecret(t.Context(), made.ID, encoded(32), 0)
	if b.ok(err); fmt.Sprint(third.Secrets(now)) != fmt.Sprint([]string{encoded(32)}) {
		t.Errorf("at once: got %+v, want the one that was given alone", third)
	}
}

func TestAWebhookOfAnInnerHostIsRefused(t *testing.T) {
	b := newBench(t)
	made, _ := b.made("First")
	s := b.serve()
	s.Reachable = func(host string) bool { return host != "10.0.0.1" }
	_, err := s.SetWebhook(t.Context(), made.ID, tenant.WebhookInput{URL: "http://10.0.0.1:80/x"})
	if b.is(err, recaller.Invalid, "url"); err != nil && strings.Contains(err.Error(), "10.0") {
		t.Errorf("the error %q holds what was given", err)
	}
	_, err = s.SetWebhook(t.Context(), made.ID, tenant.WebhookInput{URL: "https://example.com/x"})
	b.ok(err)
}

func TestWebhooksThatAreRefused(t *testing.T) {
	b := newBench(t)
	made, _ := b.made("First")
	kept, err := b.SetWebhook(t.Context(), made.ID, tenant.WebhookInput{URL: "https://example.com/hook", Secret: encoded(64)})
	b.ok(err)
	const good = "https://example.com"
	for name, c := range map[string]struct{ url, secret, field string }{
		"no URL":                     {"", "", "url"},
		"a path":                     {"/hook", "", "url"},
		"no scheme":                  {"example.com/hook", "", "url"},
		"another scheme":             {"ftp://example.com", "", "url"},
		"no host":                    {"https:///hook", "", "url"},
		"a port alone":               {"https://:443/hook", "", "url"},
		"a user":                     {"https://ann:secret@example.com", "", "url"},
		"a URL too long":             {good + "/" + strings.Repeat("x", 2000), "", "url"},
		"a URL of no text":           {good + "/\xff", "", "url"},
		"a line break":               {good + "/\r\nHost: x", "", "url"},
		"a secret without a prefix":  {good, strings.TrimPrefix(encoded(32), "whsec_"), "secret"},
		"a secret too short":         {good, encoded(23), "secret"},
		"a secret too long":          {good, encoded(65), "secret"},
		"a secret that is no base64": {good, encoded(32) + "*", "secret"},
		"a secret of two lines":      {good, encoded(32)[:20] + "\n" + encoded(32)[20:], "secret"},
	} {
		_, err := b.SetWebhook(t.Context(), made.ID, tenant.WebhookInput{URL: c.url, Secret: c.secret})
		b.is(err, recaller.Invalid, c.field)
		for _, word := range []string{"example.com", "secret@", "a2tr"} {
			if err != nil && strings.Contains(err.Error(), word) {
				t.Errorf("%s: the error %q holds what was given", name, err)
			}
		}
	}
	if diff := cmp.Diff(kept, b.hookOf(made.ID)); diff != "" {
		t.Errorf("after what was refused (-want +got):\n%s", diff)
	}
}

func TestSettingsOfTheMemoryAreKept(t *testing.T) {
	b := newBench(t)
	own := map[string]string{prompt.Memory: strings.Repeat("x", 8000), prompt.Summary: "Write it short."}
	made, _, err := b.Create(t.Context(), recaller.Tenant{Name: "First", Masking: recaller.MaskingOff, MemoryTools: true, Prompts: own})
	b.ok(err)
	own[prompt.Memory] = "changed by who made it"
	for name, read := range map[string]func() (recaller.Tenant, error){
		"here":            func() (recaller.Tenant, error) { return b.Tenant(t.Context(), made.ID) },
		"another process": func() (recaller.Tenant, error) { return b.serve().Tenant(t.Context(), made.ID) },
	} {
		got, err := read()
		b.ok(err)
		if got.Masking != recaller.MaskingOff || !got.MemoryTools || len(got.Prompts) != 2 || len(got.Prompts[prompt.Memory]) != 8000 {
			t.Errorf("%s: got masking %q, tools %v, %d prompts", name, got.Masking, got.MemoryTools, len(got.Prompts))
		}
	}
	if other, _ := b.made("Second"); other.Masking != recaller.MaskingOn {
		t.Errorf("masking is %q by default, want on", other.Masking)
	}
	ours, err := b.Update(t.Context(), made.ID, func(t *recaller.Tenant) error { t.Prompts = nil; return nil })
	if b.ok(err); len(ours.Prompts) != 0 {
		t.Errorf("got %d prompts, want ours again", len(ours.Prompts))
	}
}
