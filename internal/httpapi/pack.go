package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/tenant"
)

// PackPath names a keyword pack. It is exported because huma fills only such fields.
type PackPath struct {
	Name string `path:"name" doc:"The pack's name." example:"golf"`
}

type packInput struct {
	PackPath
	Body client.Pack
}

func (s *server) packRoutes() {
	const path = "/v1/packs/{name}"
	add(s, route{
		id: "list-packs", method: http.MethodGet, path: "/v1/packs", tag: tagTenants, summary: "List keyword packs",
		about: "The tables by which conversations get intent, sentiment, topics and outcome: ours and the tenant's " +
			"own. `PATCH /v1/tenant` says which are in use (`packs`).",
	}, func(ctx context.Context, x *exchange, _ *struct{}) (*plain[client.PackList], error) {
		all, err := s.Packs.PackList(ctx, x.Tenant)
		return body200(client.PackList{Packs: list(all,
			func(p tenant.PackInfo) client.PackInfo { return client.PackInfo(p) })}, err)
	})
	add(s, route{
		id: "get-pack", method: http.MethodGet, path: path, tag: tagTenants, summary: "Read a keyword pack",
		statuses: []int{http.StatusNotFound}, about: "The tenant's own, else ours: a good start for one of your own.",
	}, func(ctx context.Context, x *exchange, in *PackPath) (*plain[client.Pack], error) {
		return s.readPack(ctx, x, in.Name)
	})
	add(s, route{
		id: "put-pack", method: http.MethodPut, path: path, tag: tagTenants, summary: "Set a keyword pack of your own",
		statuses: []int{http.StatusConflict},
		about: "Makes it, or replaces the one before; at most eight of 256 KiB each. With the name of one of ours it " +
			"takes its place. It counts for conversations that are written up from then on.",
	}, s.putPack)
	add(s, route{
		id: "delete-pack", method: http.MethodDelete, path: path, tag: tagTenants, status: http.StatusNoContent,
		summary:  "Delete a keyword pack of your own",
		about:    "One that took the place of ours brings ours back; any other must not be in use.",
		statuses: []int{http.StatusNotFound, http.StatusConflict},
	}, func(ctx context.Context, x *exchange, in *PackPath) (*struct{}, error) {
		return nil, s.Packs.DeletePack(ctx, x.Tenant, in.Name)
	})
}

func (s *server) readPack(ctx context.Context, x *exchange, name string) (*plain[client.Pack], error) {
	raw, err := s.Packs.Pack(ctx, x.Tenant, name)
	if err != nil {
		return nil, err
	}
	var p client.Pack
	if json.Unmarshal(raw, &p) != nil { // the decoder's error would quote what it read
		return nil, recaller.Errorf(recaller.Internal, "a stored keyword pack cannot be read")
	}
	return &plain[client.Pack]{p}, nil
}

func (s *server) putPack(ctx context.Context, x *exchange, in *packInput) (*plain[client.Pack], error) {
	raw, err := json.Marshal(in.Body)
	if err != nil {
		return nil, recaller.Wrap(recaller.Internal, err, "the keyword pack cannot be written")
	}
	if err := s.Packs.PutPack(ctx, x.Tenant, in.Name, raw); err != nil {
		return nil, err
	}
	return &plain[client.Pack]{in.Body}, nil
}
