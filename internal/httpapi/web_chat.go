package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/tenant"
)

// Visitors has the tokens of who chats on a tenant's pages; *tenant.Service does.
type Visitors interface {
	SignVisitorIn(ctx context.Context, id recaller.TenantID, in tenant.SignIn) (token string, v recaller.Visitor, err error)
	SignVisitorsOut(ctx context.Context, id recaller.TenantID) error
}

func (s *server) webChatRoutes() {
	const path = "/v1/web-chat/tokens"
	add(s, route{
		id: "create-web-chat-token", method: http.MethodPost, path: path, tag: tagTenants, status: http.StatusCreated,
		summary: "Sign a visitor in to the web chat", statuses: []int{http.StatusConflict},
		about: "For the application's own server, which knows who is signed in to its pages: the token goes to that visitor's browser, " +
			"and the chat is with the caller who has this external id. It counts for 15 minutes if not said; a chat that is open when it " +
			"lapses asks for another. Whoever has the token can read the id and the name in it. 409: the web chat is off.",
	}, func(ctx context.Context, x *exchange, in *struct{ Body client.NewWebChatToken }) (*plain[client.WebChatToken], error) {
		token, v, err := s.Visitors.SignVisitorIn(ctx, x.Tenant, tenant.SignIn{
			ExternalID: in.Body.ExternalID, Name: in.Body.Name, For: time.Duration(in.Body.TTLSeconds) * time.Second,
		})
		return body200(client.WebChatToken{Token: token, ExpiresAt: instant(v.Until)}, err)
	})
	add(s, route{
		id: "delete-web-chat-tokens", method: http.MethodDelete, path: path, tag: tagTenants, status: http.StatusNoContent,
		summary: "Make all tokens of visitors void",
		about: "For tokens that others have got hold of. Who is signed in needs a new one, and everybody else is somebody new when he " +
			"comes back. Other servers of the same store follow within ten seconds.",
	}, func(ctx context.Context, x *exchange, _ *struct{}) (*struct{}, error) {
		return nil, s.Visitors.SignVisitorsOut(ctx, x.Tenant)
	})
}

func webChatOut(w recaller.WebChat) client.WebChat {
	return client.WebChat{
		Reply: w.Reply, Origins: ids[string](w.Origins), Title: w.Title, Greeting: w.Greeting, Language: w.Language,
	}
}
