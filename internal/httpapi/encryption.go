package httpapi

import (
	"context"
	"net/http"

	"github.com/recallerhq/recaller/client"
)

// Encryption tells which key seals what is held, without any key.
type Encryption struct {
	MasterKeyID string         // of the key-encryption key in force
	From        string         // "file" or "environment"
	DataKeys    int            // how many there are
	Under       map[string]int // how many of them each key-encryption key wraps, by its id
	Rotation    Rotation
}

// Rotation is how far a change of the key-encryption key is. The zero value means that none began since the start.
type Rotation struct {
	Running bool
	Failed  bool // the last one stopped early; it may begin again
	Done    int  // data keys that are wrapped again
	Total   int
}

// Encrypter tells of the key-encryption key and changes it; package app has it.
type Encrypter interface {
	Status(ctx context.Context) (Encryption, error)
	// Rotate begins to wrap every data key anew, and returns at once. It changes nothing while a rotation runs.
	Rotate(ctx context.Context) (Encryption, error)
}

func (s *server) encryptionRoutes() {
	add(s, route{
		id: "get-encryption", method: http.MethodGet, path: "/v1/encryption", tag: tagOperation,
		summary: "Read how data is sealed",
		about: "Which key-encryption key is in force, how many data keys it wraps, and how far a rotation is. No key " +
			"is shown.",
	}, func(ctx context.Context, _ *exchange, _ *struct{}) (*plain[client.Encryption], error) {
		e, err := s.Encryption.Status(ctx)
		return body200(encryptionOut(e), err)
	})
	add(s, route{
		id: "rotate-encryption", method: http.MethodPost, path: "/v1/encryption/rotate", tag: tagOperation,
		status: http.StatusAccepted, summary: "Change the key-encryption key", statuses: []int{http.StatusConflict},
		about: "Begins to wrap every data key anew, while everything goes on, and answers at once; `GET " +
			"/v1/encryption` tells how far it is. Where the server keeps the key in its data folder it makes the new " +
			"one; where the configuration holds the key, the new one has to be configured first (409). While a " +
			"rotation runs, a repeat changes nothing and tells of it, so Idempotency-Key is not taken.",
	}, func(ctx context.Context, _ *exchange, _ *struct{}) (*plain[client.Encryption], error) {
		e, err := s.Encryption.Rotate(ctx)
		return body200(encryptionOut(e), err)
	})
}

func encryptionOut(e Encryption) client.Encryption {
	out := client.Encryption{
		MasterKeyID: e.MasterKeyID, From: e.From, DataKeys: e.DataKeys, DataKeysByMasterKey: e.Under,
	}
	if out.DataKeysByMasterKey == nil {
		out.DataKeysByMasterKey = map[string]int{}
	}
	if e.Rotation != (Rotation{}) {
		r := client.Rotation(e.Rotation)
		out.Rotating = &r
	}
	return out
}
