package app

import (
	"context"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/pin"
)

// pins keeps the documents of topics in the store. It implements wrapup.Pins.
type pins struct{ *App }

// Topics implements wrapup.Pins. Clients may have taken some of the documents over: these count, too.
func (p pins) Topics(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) (out []recaller.Document, err error) {
	for _, origin := range []recaller.DocumentOrigin{recaller.DocumentPin, recaller.DocumentWritten} {
		f := recaller.DocumentFilter{Caller: caller, Origin: origin, Archived: true, Page: recaller.Page{Limit: 200}}
		for more := true; more; more = f.Page.Cursor != "" {
			list, next, err := p.store.Documents(ctx, tenant, f)
			if err != nil {
				return nil, err
			}
			for _, d := range list {
				if _, ok := pin.Of(d); ok {
					out = append(out, d)
				}
			}
			f.Page.Cursor = next
		}
	}
	return out, nil
}

// FileTopic implements wrapup.Pins.
func (p pins) FileTopic(ctx context.Context, tenant recaller.TenantID, d recaller.Document) error {
	return p.documents.Keep(ctx, tenant, d)
}
