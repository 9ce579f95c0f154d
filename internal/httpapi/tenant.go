package httpapi

import (
	"context"
	"maps"
	"net/http"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

func (s *server) tenantRoutes() {
	add(s, route{
		id: "get-tenant", method: http.MethodGet, path: "/v1/tenant", tag: tagTenants,
		summary: "Read the tenant's settings", about: "Of the tenant that the key belongs to; defaults are filled in.",
	}, func(ctx context.Context, x *exchange, _ *struct{}) (*plain[client.Tenant], error) {
		t, err := s.Tenants.Tenant(ctx, x.Tenant)
		return body200(tenantOut(t), err)
	})
	add(s, route{
		id: "update-tenant", method: http.MethodPatch, path: "/v1/tenant", tag: tagTenants,
		summary: "Change the tenant's settings",
		about: "What is left out stays; inside `profile` too. A number can belong to one tenant only: one that is " +
			"another's is a 409 that names it. `environment` is fixed once the tenant has callers (409): trials and " +
			"real callers never share a tenant.",
		statuses: []int{http.StatusConflict},
	}, s.updateTenant)
	add(s, route{
		id: "create-tenant", method: http.MethodPost, path: "/v1/tenants", tag: tagTenants, status: http.StatusCreated,
		summary: "Make a tenant", statuses: []int{http.StatusConflict},
		about: "Answers with the tenant and its first key, of scope admin, which is shown this once. A number that " +
			"belongs to another tenant is a 409. The server does not keep keys and cannot show one again, so " +
			"Idempotency-Key is not taken here: a repeat makes another tenant.",
	}, s.createTenant)
	add(s, route{
		id: "list-tenants", method: http.MethodGet, path: "/v1/tenants", tag: tagTenants, summary: "List tenants",
		about: "The tenants, by age, or those of one environment: then a page may be short though another follows.",
	}, func(ctx context.Context, _ *exchange, in *struct {
		Paging
		Environment string `query:"environment" enum:"production,demo" doc:"Only tenants of this environment." example:"demo"`
	},
	) (*plain[client.TenantList], error) {
		ctx, damage := recaller.WithDamage(ctx)
		page, next, err := s.Tenants.List(ctx, in.Environment, in.page())
		return body200(client.TenantList{
			Tenants: list(page, tenantOut), NextCursor: next, Damaged: damage.Count(),
		}, err)
	})
}

func (s *server) updateTenant(
	ctx context.Context, x *exchange, in *struct{ Body client.TenantPatch },
) (*plain[client.Tenant], error) {
	t, err := s.Tenants.Update(ctx, x.Tenant, func(t *recaller.Tenant) error {
		put(&t.Name, in.Body.Name)
		settings(t, in.Body.TenantSettings)
		return nil
	})
	return body200(tenantOut(t), err)
}

func (s *server) createTenant(
	ctx context.Context, _ *exchange, in *struct{ Body client.NewTenant },
) (*plain[client.NewTenantResponse], error) {
	t := recaller.Tenant{Name: in.Body.Name}
	settings(&t, in.Body.TenantSettings)
	t, secret, err := s.Tenants.Create(ctx, t)
	return body200(client.NewTenantResponse{Tenant: tenantOut(t), APIKey: secret}, err)
}

// put sets to, if from was given.
func put[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// rights returns what agents may by tier, with what is given in the place of what was.
func rights(was map[recaller.Trust]recaller.Rights, in map[recaller.Trust]*client.RightsPatch) map[recaller.Trust]recaller.Rights {
	out := maps.Clone(was)
	for tier, p := range in {
		if p == nil {
			continue
		}
		if out == nil {
			out = map[recaller.Trust]recaller.Rights{}
		}
		r := out[tier]
		put(&r.Tell, p.Tell)
		put(&r.Tools, p.Tools)
		out[tier] = r
	}
	return out
}

func settings(t *recaller.Tenant, in client.TenantSettings) {
	put(&t.Environment, in.Environment)
	put(&t.Numbers, in.Numbers)
	put(&t.DefaultRegion, in.DefaultRegion)
	put(&t.TimeZone, in.TimeZone)
	put(&t.Retention, in.Retention)
	put(&t.ArchiveDays, in.ArchiveDays)
	put(&t.DocumentArchiveDays, in.DocumentArchiveDays)
	put(&t.HistoryLimit, in.HistoryLimit)
	put(&t.PinAfter, in.PinAfter)
	if in.PinAfter != nil && *in.PinAfter == 0 {
		t.PinAfter = recaller.NoPins
	}
	put(&t.Packs, in.Packs)
	put(&t.Masking, in.Masking)
	put(&t.MemoryTools, in.MemoryTools)
	if len(in.Prompts) > 0 {
		t.Prompts = prompts(t.Prompts, in.Prompts)
	}
	if p := in.Telephone; p != nil {
		put(&t.Telephone.Answer, p.Answer)
		put(&t.Telephone.ForwardTo, p.ForwardTo)
		put(&t.Telephone.Listen, p.Listen)
		put(&t.Telephone.Greeting, p.Greeting)
		put(&t.Telephone.Language, p.Language)
		put(&t.Telephone.Voice, p.Voice)
	}
	if p := in.Texting; p != nil {
		put(&t.Texting.Reply, p.Reply)
		if p.QuietMinutes != nil {
			t.Texting.QuietAfter = seconds(*p.QuietMinutes * 60)
		}
	}
	if p := in.WebChat; p != nil {
		put(&t.WebChat.Reply, p.Reply)
		put(&t.WebChat.Origins, p.Origins)
		put(&t.WebChat.Title, p.Title)
		put(&t.WebChat.Greeting, p.Greeting)
		put(&t.WebChat.Language, p.Language)
	}
	if in.Outbound != nil {
		outbound(&t.Outbound, *in.Outbound)
	}
	if p := in.Trust; p != nil {
		t.Trust = rights(t.Trust, map[recaller.Trust]*client.RightsPatch{
			recaller.TrustAnonymous: p.Anonymous, recaller.TrustClaimed: p.Claimed,
			recaller.TrustAttested: p.Attested, recaller.TrustVerified: p.Verified,
		})
	}
	if in.ResumeWindowSeconds != nil {
		t.ResumeWindow = seconds(*in.ResumeWindowSeconds)
	}
	if in.IdleLimitSeconds != nil {
		t.IdleLimit = seconds(*in.IdleLimitSeconds)
	}
	if in.Profile != nil {
		profile(&t.Profile, *in.Profile)
	}
}

func outbound(o *recaller.Reaching, in client.OutboundPatch) {
	put(&o.Reminders, in.Reminders)
	put(&o.From, in.From)
	put(&o.QuietFrom, in.QuietFrom)
	put(&o.QuietTo, in.QuietTo)
	put(&o.Tries, in.Tries)
	put(&o.Voicemail, in.Voicemail)
	put(&o.Countries, in.Countries)
	put(&o.AtOnce, in.AtOnce)
	if in.PauseSeconds != nil {
		o.Pause = seconds(*in.PauseSeconds)
	}
}

func outboundOut(o recaller.Reaching) client.Outbound {
	return client.Outbound{
		Reminders: o.Reminders, From: o.From, QuietFrom: o.QuietFrom, QuietTo: o.QuietTo, Tries: o.Tries,
		PauseSeconds: o.Pause.Seconds(), Voicemail: o.Voicemail, Countries: list(o.Countries, func(c string) string { return c }),
		AtOnce: o.AtOnce,
	}
}

func profile(p *recaller.Profile, in client.ProfilePatch) {
	put(&p.Business, in.Business)
	put(&p.Description, in.Description)
	put(&p.Location, in.Location)
	put(&p.Phone, in.Phone)
	put(&p.Services, in.Services)
	put(&p.Personality, in.Personality)
	put(&p.Greeting, in.Greeting)
	put(&p.Instructions, in.Instructions)
	lines := func(to *[]recaller.Line, from *[]client.Line) {
		if from != nil {
			*to = list(*from, func(l client.Line) recaller.Line { return recaller.Line(l) })
		}
	}
	lines(&p.Hours, in.Hours)
	lines(&p.Pricing, in.Pricing)
}
