package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

func (s *server) agreementRoute() {
	add(s, route{
		id: "caller-agreements", method: http.MethodGet, path: "/v1/callers/{id}/agreements", tag: tagCallers,
		summary: "List what was agreed on with a caller",
		about: "The times that both sides settled on (appointments, promises with a day), soonest first, each with " +
			"the words that settled it, where they were said, and where it stands: open, moved, cancelled, done " +
			"(told to have happened), or over (its day is past, and nobody told). With `as_of` as they stood then. " +
			"What was said in words that were forgotten since is left out. The last 500 statements about times count " +
			"(an export has all).",
	}, s.callerAgreements)
}

func (s *server) callerAgreements(ctx context.Context, x *exchange, in *struct {
	CallerPath
	AsOf time.Time `query:"as_of" doc:"The time to look from (RFC 3339). A time to come is as good as now; now if not said." example:"2026-03-02T10:00:00Z"`
},
) (*plain[client.AgreementList], error) {
	asOf, err := told("as_of", in.AsOf)
	if err != nil {
		return nil, err
	}
	ctx, damage := recaller.WithDamage(ctx)
	all, err := s.Briefer.Agreements(ctx, x.Tenant, recaller.CallerID(in.ID), asOf)
	return body200(client.AgreementList{Agreements: list(all, agreementOut), Damaged: damage.Count()}, err)
}
