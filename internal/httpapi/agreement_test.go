package httpapi

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// agreed is a briefer whose caller has an appointment that was moved.
type agreed struct {
	Briefer
	list  []recaller.Agreement
	asked time.Time
}

func (a *agreed) Agreements(_ context.Context, _ recaller.TenantID, _ recaller.CallerID, asOf time.Time) ([]recaller.Agreement, error) {
	a.asked = asOf
	return a.list, nil
}

func TestWhatWasAgreedOnIsListed(t *testing.T) {
	t.Parallel()
	berlin := time.FixedZone("", 3600)
	said := time.Date(2026, 3, 2, 11, 0, 0, 0, berlin)
	act := func(conv recaller.ConversationID, kind recaller.ActKind, at time.Time, text string) recaller.Act {
		return recaller.Act{Kind: kind, At: at, Conversation: conv, SaidAt: said, Said: []recaller.Saying{{Turn: 4, Speaker: recaller.Assistant, Text: text}}}
	}
	first, second := said.AddDate(0, 0, 2), said.AddDate(0, 0, 7)
	moved := act("b", recaller.ActMoved, second, "It's moved to Monday.")
	b := &agreed{list: []recaller.Agreement{
		{At: first, State: recaller.AgreementMoved, By: act("a", recaller.ActSettled, first, "Wednesday it is."), Ended: &moved},
		{At: second, Day: true, State: recaller.AgreementOpen, By: moved},
	}}
	h := setup(t, func(d *Deps, _ *Options) { b.Briefer = d.Briefer; d.Briefer = b })

	asOf := said.Add(time.Hour)
	got, err := h.admin.CallerAgreements(t.Context(), "whoever", asOf)
	if err != nil {
		t.Fatal(err)
	}
	words := func(text string) []client.Saying {
		return []client.Saying{{Turn: 4, Speaker: recaller.Assistant, Text: text}}
	}
	want := client.AgreementList{Agreements: []client.Agreement{
		{
			At: first.UTC(), State: "moved", ConversationID: "a", SaidAt: said.UTC(), Said: words("Wednesday it is."),
			Ended: &client.AgreementEnd{ConversationID: "b", SaidAt: said.UTC(), Said: words("It's moved to Monday.")},
		},
		{At: second.UTC(), Day: true, State: "open", ConversationID: "b", SaidAt: said.UTC(), Said: words("It's moved to Monday.")},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !b.asked.Equal(asOf) {
		t.Errorf("asked as of %v, want %v", b.asked, asOf)
	}
}

// Of a caller with whom nothing was agreed on the list is empty; a time that is none is refused by name, here and of
// briefings.
func TestAsOfIsATime(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	who := h.begun(t, "+4930901820").Caller.ID
	if got, err := h.admin.CallerAgreements(t.Context(), who, time.Time{}); err != nil || got.Agreements == nil || len(got.Agreements) > 0 {
		t.Errorf("got %+v, %v; want an empty list", got, err)
	}
	h.refused(t, http.StatusNotFound, http.MethodGet, "/v1/callers/nobody/agreements", "")
	for _, path := range []string{"/briefing", "/agreements"} {
		p := h.refused(t, http.StatusUnprocessableEntity, http.MethodGet, "/v1/callers/"+who+path+"?as_of=soon", "")
		if len(p.Errors) != 1 || p.Errors[0].Location != "as_of" || !strings.Contains(p.Errors[0].Message, "RFC 3339") {
			t.Errorf("%s: got %+v, want one error of as_of, and what was expected", path, p.Errors)
		}
	}
}
