package httpapi

import (
	"context"
	"net/http"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

func (s *server) pinRoutes() {
	add(s, route{
		id: "put-pin", method: http.MethodPut, path: "/v1/callers/{id}/pin", tag: tagCallers, summary: "Set a caller's PIN",
		about: "The caller proves by it who it is: the agent's tool `verify_caller` checks what was said. It replaces the " +
			"one before, and ends a pause after wrong tries. It is kept as a hash, sealed with the caller's key, and never shown.",
	}, func(ctx context.Context, x *exchange, in *struct {
		CallerPath
		Body client.PINInput
	},
	) (*plain[client.Caller], error) {
		c, err := s.Callers.SetPIN(ctx, x.Tenant, recaller.CallerID(in.ID), in.Body.PIN)
		return body200(callerOut(c), err)
	})
	add(s, route{
		id: "delete-pin", method: http.MethodDelete, path: "/v1/callers/{id}/pin", tag: tagCallers,
		status: http.StatusNoContent, summary: "Take a caller's PIN away",
		about: "Conversations that it has verified stay so until they end.",
	}, func(ctx context.Context, x *exchange, in *CallerPath) (*struct{}, error) {
		return nil, s.Callers.ClearPIN(ctx, x.Tenant, recaller.CallerID(in.ID))
	})
}
