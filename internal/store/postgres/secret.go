package postgres

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	pgxvector "github.com/pgvector/pgvector-go/pgx"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// ErrUnarmed says that the database has no secret of the wall yet. Its kind is Unavailable.
var ErrUnarmed = recaller.Errorf(recaller.Unavailable, "the database has no secret of the wall yet: the next start of the server sets it")

// Secrets has the secret of the wall; vault.Vault implements it.
type Secrets interface {
	// WallSecret returns the secret; nil: there is none yet.
	WallSecret(ctx context.Context) ([]byte, error)
	// MakeWallSecret makes it unless there is one, and returns the one that is there.
	MakeWallSecret(ctx context.Context) ([]byte, error)
}

// door is a way past the wall between tenants.
type door = string

// system is the door to what is listed across tenants.
const system door = "system"

// claimed says for whom a transaction is.
type claimed struct {
	door   door
	tenant recaller.TenantID
	caller recaller.CallerID // empty: all of the tenant's
}

// fit refuses what the database would read otherwise than it is meant: a line break separates the parts.
func (c claimed) fit() error {
	if strings.Contains(string(c.tenant)+string(c.caller), "\n") {
		return recaller.Errorf(recaller.Invalid, "an id has no line break in it")
	}
	return nil
}

// secret is what the claims of an installation are made with.
type secret []byte

// hash is the keyed hash by which the database knows that a claim is of this installation.
func (s secret) hash(session string, c claimed) []byte {
	mac := hmac.New(sha256.New, s)
	mac.Write([]byte("claim " + session + "\n" + c.door + "\n" + string(c.tenant) + "\n" + string(c.caller)))
	return mac.Sum(nil)
}

// pads is the secret as HMAC uses it (RFC 2104): the database has SHA-256 and no HMAC.
func (s secret) pads() (inner, outer []byte) {
	key := make([]byte, sha256.BlockSize)
	copy(key, s)
	inner, outer = make([]byte, len(key)), make([]byte, len(key))
	for i := range key {
		inner[i], outer[i] = key[i]^0x36, key[i]^0x5c
	}
	return inner, outer
}

// arm has the database know the secret of the key store. The first start makes it, in the key store first, so that
// servers that start at once agree on one.
func arm(ctx context.Context, cfg *pgx.ConnConfig, from Secrets) (secret, error) {
	c, err := pgx.ConnectConfig(ctx, cfg.Copy())
	if err != nil {
		return nil, mapped(err)
	}
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }()
	var print []byte
	if err := c.QueryRow(ctx, armedBy).Scan(&print); err != nil {
		return nil, mapped(err)
	}
	made, err := from.WallSecret(ctx) // after the look into the database: a server that arms it has stored its secret
	if err != nil {
		return nil, err
	}
	if made == nil && print != nil {
		return nil, otherSecret(nil, print)
	}
	if made == nil {
		if made, err = from.MakeWallSecret(ctx); err != nil {
			return nil, err
		}
	}
	inner, outer := secret(made).pads()
	var same bool
	err = c.QueryRow(ctx, `SELECT recaller_wall.arm($1, $2, $3), recaller_wall.armed()`, inner, outer, vault.PrintOf(made)).
		Scan(&same, &print)
	if err != nil {
		return nil, mapped(err)
	}
	if !same {
		return nil, otherSecret(vault.PrintOf(made), print)
	}
	return made, nil
}

const armedBy = `SELECT recaller_wall.armed()`

// otherSecret is the error where the key store and the database have not the same secret.
func otherSecret(keys, data []byte) error {
	has := "has none"
	if keys != nil {
		has = "has " + hex.EncodeToString(keys)
	}
	return recaller.Errorf(recaller.Unavailable, "the secret of the wall in the database (%x) is not the key store's, which %s: "+
		"put the keys of this data back; where they are the right ones and the secret alone is lost, stop the servers and run `recaller migrate --wall`",
		data, has)
}

// Fit says how a key store fits a database.
type Fit int

// How they fit.
const (
	Same        Fit = iota // they are of one installation, or of none yet
	LacksKeys              // the database has tenants, and the key store no key of one
	OtherSecret            // the database knows another secret of the wall than the key store has
)

// Belongs tells whether a key store is a database's: by the print of the wall's secret that it has, and before the
// database knows one by the tenants whose keys it has. It asks for either after its look into the database, for another
// server may be at its first start: it stores its secret before the database knows it.
func Belongs(ctx context.Context, url string, print func() ([]byte, error), tenants func() ([]recaller.TenantID, error)) (Fit, error) {
	cfg, err := poolConfig(url, Options{})
	if err != nil {
		return Same, err
	}
	c, err := pgx.ConnectConfig(ctx, cfg.ConnConfig)
	if err != nil {
		return Same, mapped(err)
	}
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }()
	var armed []byte
	if err := c.QueryRow(ctx, armedBy).Scan(&armed); err != nil {
		return Same, cmp.Or(sound(ctx, cfg.ConnConfig), mapped(err))
	}
	if armed != nil {
		has, err := print()
		if err == nil && !bytes.Equal(armed, has) {
			return OtherSecret, nil
		}
		return Same, err
	}
	var some, these *bool // nil: another server armed it this moment
	ids, err := tenants()
	if err != nil {
		return Same, err
	}
	err = c.QueryRow(ctx, `SELECT tenants, these FROM recaller_wall.holds($1)`, texts(ids)).Scan(&some, &these)
	if err == nil && some != nil && *some && !*these {
		return LacksKeys, nil
	}
	return Same, mapped(err)
}

const sessionKey = "recaller session"

// connected prepares a new connection: the types of vectors, and the process that serves it, for claims that are worth
// nothing in another. A pooler tells another process than the one that it asks; a claim is then for any.
func connected(ctx context.Context, c *pgx.Conn) error {
	if err := pgxvector.RegisterTypes(ctx, c); err != nil {
		return err
	}
	var pid uint32
	if err := c.QueryRow(ctx, `SELECT pg_backend_pid()`).Scan(&pid); err != nil {
		return err
	}
	if pid == c.PgConn().PID() {
		c.PgConn().CustomData()[sessionKey] = strconv.FormatUint(uint64(pid), 10)
	}
	return nil
}

// sessionOf is the process that a connection's claims are for; empty: any.
func sessionOf(c *pgx.Conn) string {
	session, _ := c.PgConn().CustomData()[sessionKey].(string)
	return session
}

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}
