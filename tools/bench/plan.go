package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"github.com/recallerhq/recaller"
)

// plan says what a data folder holds. The same plan gives the same callers and the same words.
type plan struct {
	Seed       uint64 `json:"seed"`
	Callers    int    `json:"callers"`
	Memories   int    `json:"memories"`
	Heavy      int    `json:"heavy_callers"`
	HeavyTurns int    `json:"heavy_turns"`
}

// What a caller's past looks like: every caller has one conversation, each fifth has three. All have a summary.
const (
	richEvery      = 5
	richHistory    = 3
	turnsEach      = 4
	heavyTurnsEach = 100 // turns of one conversation of a heavy caller
)

func (p plan) validate() error {
	if p.Callers < 10*richEvery || p.Memories < p.Callers || p.Heavy < 1 || p.HeavyTurns < heavyTurnsEach {
		return errors.New("needs 50 callers, as many memories, and a heavy caller with 100 turns at least")
	}
	return nil
}

// heavy reports whether a caller has much history: the first ones have.
func (p plan) heavy(i int) bool { return i < p.Heavy }

// rich reports whether a caller has as many conversations as a briefing shows.
func (p plan) rich(i int) bool { return i%richEvery == 0 }

// richAt is the k-th of the rich callers in an order that jumps all over the data, heavy ones left out.
func (p plan) richAt(k int) int {
	first := (p.Heavy + richEvery - 1) / richEvery
	n := p.Callers/richEvery - first
	stride := 1 + n*382/1000 // far apart, and made coprime below
	for gcd(stride, n) != 1 {
		stride++
	}
	return (first + (k%n)*stride%n) * richEvery
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// memories is how many memories caller i has.
func (p plan) memories(i int) int {
	n := p.Memories / p.Callers
	if i < p.Memories%p.Callers {
		n++
	}
	return n
}

// rng gives the randomness of caller i.
func (p plan) rng(i int) *rand.Rand { return rand.New(rand.NewPCG(p.Seed, uint64(i))) }

// epoch is when the first caller was made.
var epoch = time.Date(2025, 9, 1, 8, 0, 0, 0, time.UTC)

// callerID is the id of caller i: a UUIDv7 like the product's own, in the order of the callers.
func (p plan) callerID(i int) recaller.CallerID {
	r := p.rng(i)
	var u uuid.UUID
	binary.BigEndian.PutUint64(u[:8], uint64(epoch.Add(time.Duration(i)*time.Second).UnixMilli())<<16|r.Uint64()&0x0fff|0x7000)
	binary.BigEndian.PutUint64(u[8:], r.Uint64()&(1<<62-1)|1<<63)
	return recaller.CallerID(u.String())
}

// phone is the number of caller i.
func phone(i int) string { return fmt.Sprintf("+1212%07d", 2_000_000+i) }

// manifest tells what a folder was filled with.
type manifest struct {
	Store     string        `json:"store"` // which one the data are in
	Plan      plan          `json:"plan"`
	Took      time.Duration `json:"took_ns"`
	Rows      filled        `json:"rows"`
	DataBytes int64         `json:"data_bytes"`
	KeysBytes int64         `json:"keys_bytes"`
	Used      int           `json:"used"` // callers that earlier runs took samples of
}

// filled counts what was written.
type filled struct {
	Callers, Conversations, Turns, Memories int64
}

const manifestFile = "bench.json"

// readManifest returns nil if the folder was not filled.
func readManifest(dir string) (*manifest, error) {
	raw, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // none is no error, and the one caller asks for it
	}
	if err != nil {
		return nil, err
	}
	var m manifest
	return &m, json.Unmarshal(raw, &m)
}

func (m manifest) write(dir string) error {
	raw, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, manifestFile), append(raw, '\n'), 0o600)
}
