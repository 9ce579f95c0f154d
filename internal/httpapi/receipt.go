package httpapi

import (
	"context"
	"net/http"
	"reflect"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/privacy"
)

func (s *server) receiptRoutes() {
	add(s, route{
		id: "check-receipt", method: http.MethodPost, path: receiptCheck, tag: tagCallers, rawBody: true,
		summary: "Check the receipt of an erasure",
		about: "Takes a receipt as `DELETE /v1/callers/{id}` answered it, however long ago, and says whether it is " +
			"whole and was issued by this installation. What is in no receipt, or is there twice, is refused: nobody " +
			"signed it. It changes nothing and keeps nothing. Anybody can check the signature without us: Ed25519, " +
			"over the receipt as JSON with public_key and signature null.",
	}, s.checkReceipt)
	s.bodyOf(receiptCheck, reflect.TypeFor[recaller.Receipt]())
}

const receiptCheck = "/v1/receipts/check"

// checkReceipt reads the body itself, because a decoded receipt does not tell what else the body held.
func (s *server) checkReceipt(ctx context.Context, _ *exchange, in *struct {
	RawBody []byte `contentType:"application/json"`
},
) (*plain[client.ReceiptCheck], error) {
	if _, err := decode[recaller.Receipt](s, in.RawBody); err != nil {
		return nil, err
	}
	r, err := privacy.ReadReceipt(in.RawBody)
	if err != nil {
		return nil, err
	}
	c, err := s.Privacy.CheckReceipt(ctx, r)
	return body200(client.ReceiptCheck(c), err)
}
