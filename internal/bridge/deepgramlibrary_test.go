//go:build measure

package bridge_test

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/ears"
	"github.com/recallerhq/recaller/internal/realtime"
	"github.com/recallerhq/recaller/internal/rehearsal"
)

// Deepgram's own library speaks with the fakes, sends them what we send, and knows all that either side says by its types.
// `make telephone-deepgram` gets and runs it.
func TestDeepgramsLibrary(t *testing.T) {
	node := os.Getenv("RECALLER_DEEPGRAM_NODE")
	if node == "" {
		t.Fatal("make telephone-deepgram runs it")
	}
	said := func([]byte) []string { return []string{"I have", "a question."} }
	call := []realtime.Call{{Name: "recall", Arguments: object(`{"query":"x"}`)}}
	n := 0
	agent := rehearsal.NewModel(rehearsal.ModelOptions{Maker: bridge.Deepgram, Now: time.Now, Think: func(rehearsal.Heard) rehearsal.Reply {
		n++
		return rehearsal.Reply{Say: "Hi.", Calls: call, Takes: n%2 == 0}
	}})
	sent := map[string]any{"agent": bridge.DeepgramSent()}
	queries := map[string]string{}
	at := map[string]string{}
	door := httptest.NewServer(agent)
	defer door.Close()
	for name, model := range map[string]string{"listen": "nova-3", "flux": "flux-general-multi"} {
		fake := rehearsal.NewRecogniser(rehearsal.RecogniserOptions{Now: time.Now, Listen: said, Flux: name == "flux", Noisy: true})
		api := httptest.NewServer(fake)
		defer api.Close()
		r := ears.Recogniser{URL: api.URL, Key: "k", Model: model}
		conn, err := r.Dial(api.Client())(t.Context(), "en")
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.Drop(); err != nil {
			t.Fatal(err)
		}
		_, queries[name], _ = strings.Cut(fake.Queries()[0], "?")
		var control []any
		for _, text := range append([]string{r.Wire().Flush, r.Wire().Alive}, r.Wire().Close...) {
			if text != "" {
				control = append(control, json.RawMessage(text))
			}
		}
		sent[name] = control
		at[name] = api.URL
	}
	sent["queries"] = queries
	text, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	script := exec.CommandContext(t.Context(), node, "../../tools/telephone/deepgram.mjs", door.URL, at["listen"], at["flux"])
	script.Stdin = bytes.NewReader(text)
	out, err := script.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
