package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

func (s *server) callerRoutes() {
	add(s, route{
		id: "find-callers", method: http.MethodGet, path: "/v1/callers", tag: tagCallers,
		summary: "Find or list callers",
		about: "With `phone` or `external_id`: the caller who has it, or an empty list. Without: all callers, last " +
			"seen first, in pages.",
	}, s.findCallers)
	add(s, route{
		id: "get-caller", method: http.MethodGet, path: "/v1/callers/{id}", tag: tagCallers, summary: "Read a caller",
		about: "Who it is, and how often the caller was here.",
	}, func(ctx context.Context, x *exchange, in *CallerPath) (*plain[client.Caller], error) {
		c, err := s.Callers.Get(ctx, x.Tenant, recaller.CallerID(in.ID))
		return body200(callerOut(c), err)
	})
	add(s, route{
		id: "update-caller", method: http.MethodPatch, path: "/v1/callers/{id}", tag: tagCallers,
		summary: "Set a caller's name or time zone", about: "What is left out stays; an empty text clears.",
	}, s.updateCaller)
	add(s, route{
		id: "erase-caller", method: http.MethodDelete, path: "/v1/callers/{id}", tag: tagCallers,
		summary: "Erase a caller",
		about: "Removes everything that is held about the caller, and destroys the data key, which makes every copy " +
			"unreadable, backups included. Answers with the signed receipt; erasing again answers with the same one. " +
			"Who was merged into the caller goes too. One who was merged has nothing of his own: 409 says into whom.",
		statuses: []int{http.StatusConflict},
	}, func(ctx context.Context, x *exchange, in *CallerPath) (*plain[recaller.Receipt], error) {
		r, err := s.Privacy.Erase(ctx, x.Tenant, recaller.CallerID(in.ID))
		return body200(r, err)
	})
	s.pinRoutes()
	s.exportRoute()
	s.moveRoutes()
	add(s, route{
		id: "caller-conversations", method: http.MethodGet, path: "/v1/callers/{id}/conversations", tag: tagCallers,
		summary: "List a caller's conversations",
		about: "Newest first. Summaries tell nothing that was forgotten; `include_forgotten` with an admin key shows " +
			"it.", statuses: []int{http.StatusForbidden},
	}, s.callerConversations)
}

func (s *server) findCallers(ctx context.Context, x *exchange, in *struct {
	Paging
	Phone      string `query:"phone" doc:"A number; a national one is read under the tenant's default region." example:"+4930901820"`
	ExternalID string `query:"external_id" doc:"Your own id of the person." example:"customer-4711"`
},
) (*plain[client.CallerList], error) {
	var found recaller.Caller
	var err error
	switch {
	case in.Phone != "" && in.ExternalID != "":
		return nil, recaller.InvalidField("external_id", "cannot be given together with phone")
	case in.Phone != "":
		found, err = s.Callers.ByPhone(ctx, x.Tenant, plusSign(in.Phone))
		err = renamed(err, "phone")
	case in.ExternalID != "":
		found, err = s.Callers.ByExternalID(ctx, x.Tenant, in.ExternalID)
		err = renamed(err, "external_id")
	default:
		ctx, damage := recaller.WithDamage(ctx)
		all, next, err := s.Callers.List(ctx, x.Tenant, in.page())
		return body200(client.CallerList{
			Callers: list(all, callerOut), NextCursor: next, Damaged: damage.Count(),
		}, err)
	}
	if errors.Is(err, recaller.NotFound) {
		return &plain[client.CallerList]{client.CallerList{Callers: []client.Caller{}}}, nil
	}
	return body200(client.CallerList{Callers: []client.Caller{callerOut(found)}}, err)
}

// plusSign gives a number its + back. Unescaped in a query it means a space.
func plusSign(phone string) string {
	if rest, ok := strings.CutPrefix(phone, " "); ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' {
		return "+" + rest
	}
	return phone
}

func (s *server) updateCaller(ctx context.Context, x *exchange, in *struct {
	CallerPath
	Body client.CallerPatch
},
) (*plain[client.Caller], error) {
	c, err := s.Callers.Update(ctx, x.Tenant, recaller.CallerID(in.ID),
		recaller.CallerPatch{Name: in.Body.Name, TimeZone: in.Body.TimeZone})
	return body200(callerOut(c), err)
}

func (s *server) callerConversations(ctx context.Context, x *exchange, in *struct {
	CallerPath
	Paging
	Status string `query:"status" enum:"active,completed,failed" doc:"Only conversations of this status." example:"completed"`
	Forgotten
},
) (*plain[client.ConversationList], error) {
	if _, err := s.Callers.Get(ctx, x.Tenant, recaller.CallerID(in.ID)); err != nil {
		return nil, err
	}
	return s.conversations(ctx, x, in.Forgotten, recaller.ConversationFilter{
		Caller: recaller.CallerID(in.ID), Status: recaller.Status(in.Status), Page: in.page(),
	})
}
