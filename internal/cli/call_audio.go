package cli

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/cli/term"
	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/identity"
	"github.com/recallerhq/recaller/internal/rehearsal"
)

// audioFlags are those of a call that is spoken.
type audioFlags struct {
	Audio     bool   `help:"Speak the call: a telephone and a realtime model are played, and all between them is the server as it is"`
	Script    string `placeholder:"FILE" help:"Read what the caller says from this file (else it is typed, or read from standard input)"`
	Out       string `placeholder:"FILE" help:"Write the call as a WAV file: the caller on the left, the agent on the right"`
	Voice     string `default:"en-gb+m3" placeholder:"VOICE" help:"The caller's voice, one of espeak-ng's (en-gb+m3), or tones: words are hummed, and no program is needed"`
	Interrupt bool   `help:"The caller speaks each line over the agent"`
	Fast      bool   `help:"Play the call three times as fast as it would be spoken"`
	Mute      bool   `help:"Do not play the call, although there are a terminal and a program that plays (aplay, ffplay, play)"`
}

// Who calls whom, where nobody says.
const (
	somebody  = "+15550100142"
	rehearsed = "+15550100000"
)

// Setting up a call that is spoken.
const (
	paceFast  = 20 * time.Millisecond / 3 // a bridge takes no more than four times the frames of a telephone
	startWait = 30 * time.Second
)

// check refuses flags that belong to the other kind of call.
func (c *callCmd) check() error {
	switch {
	case c.Audio && (c.Name != "" || c.Channel != string(recaller.ChannelVoice) || c.ByHand):
		return usagef("--name, --channel and --by-hand are for a call that is typed, not for --audio")
	case c.Audio:
		return nil
	case c.Phone == "":
		return usagef("expected \"<phone>\"")
	case c.Script != "" || c.Out != "" || c.Interrupt || c.Fast || c.Mute:
		return usagef("--script, --out, --interrupt, --fast and --mute are for a call that is spoken: give --audio")
	}
	return nil
}

// rehearse holds a call that is spoken. It serves the data folder in this process, on addresses of its own: neither
// environment nor file changes what is played.
func (c *callCmd) rehearse(ctx context.Context, s *session) error {
	st, err := c.studio(s)
	if err != nil {
		return err
	}
	if !c.Fast && !c.Mute && s.out.Terminal {
		st.player, _ = s.listen(ctx)
	}
	if err := st.open(ctx); err != nil {
		return err
	}
	return st.hold(ctx)
}

// studio makes all that plays in the call. It refuses what cannot be played, before anything is opened.
func (c *callCmd) studio(s *session) (*studio, error) {
	if s.globals.Server != "" {
		return nil, usagef("--audio serves the data folder in this process; --server cannot be given with it")
	}
	his, its, err := s.voices(c.Voice)
	if err != nil {
		return nil, err
	}
	from, err := c.from()
	if err != nil {
		return nil, err
	}
	cues, typed, err := c.cues(s)
	if err != nil {
		return nil, err
	}
	if c.Out != "" {
		if err := writable(c.Out); err != nil {
			return nil, err
		}
	}
	st := &studio{cmd: c, session: s, screen: &screen{out: s.out, live: typed}, cues: cues, typed: typed, from: from}
	hearsay := &rehearsal.Hearsay{}
	st.caller = rehearsal.NewCaller(his, hearsay, st.live)
	st.mind = rehearsal.NewMind(hearsay, its, time.Now, st.did)
	st.model = rehearsal.NewModel(rehearsal.ModelOptions{
		Now: time.Now, Pause: 600 * time.Millisecond, Speed: 8, Think: st.mind.Think,
		Listen: func(_, _ int, audio []byte) (string, time.Duration) {
			return hearsay.Words(audio), 150 * time.Millisecond
		},
	})
	return st, nil
}

// cues are what the caller says. typed: a person types it.
func (c *callCmd) cues(s *session) (cues []cue, typed bool, err error) {
	name, in := c.Script, s.in
	switch {
	case name == "" && s.typedAt():
		return nil, true, nil
	case name == "" || name == "-":
		name = "standard input"
	default:
		file, err := os.Open(name)
		if err != nil {
			return nil, false, err
		}
		defer file.Close()
		in = file
	}
	cues, err = cuesOf(in, name)
	return cues, false, err
}

// writable reports whether a file can be made where none is.
func writable(path string) error {
	if _, err := os.Stat(path); err == nil {
		return &failure{code: ExitFailed, msg: path + " is there already", hint: "choose another name with --out"}
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return err
	}
	return nil
}

// open starts the model and the server, and has the tenant answer calls by the bridge.
func (st *studio) open(ctx context.Context) error {
	model, err := st.serve(ctx, st.model)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	base, token := "http://"+listener.Addr().String(), hex.EncodeToString([]byte(rand.Text()))[:32]
	cfg, err := st.settings(map[string]string{
		"public-url": base, "twilio-auth-token": token, "limits-rate": "0",
		"realtime-provider": "openai", "realtime-url": model + "/v1/realtime", "realtime-api-key": "rehearsal",
	})
	if err != nil {
		_ = listener.Close() // the first error tells more
		return err
	}
	key, err := st.start(ctx, cfg, listener)
	if err != nil {
		return err
	}
	if st.api, err = newClient(base, key, nil); err != nil {
		return err
	}
	number, err := st.answers(ctx)
	if err != nil {
		return err
	}
	st.platform = rehearsal.Platform{
		Base: base, Token: token, Client: &http.Client{Timeout: startWait}, Call: "CA" + hex.EncodeToString([]byte(rand.Text()))[:32],
		From: st.from, To: number,
	}
	return nil
}

// serve serves a handler on an address of its own, until the run is over.
func (st *studio) serve(ctx context.Context, h http.Handler) (base string, err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: startWait}
	st.session.onClose(server.Close)
	go func() { _ = server.Serve(listener) }() // until it is closed
	return "http://" + listener.Addr().String(), nil
}

// settings are those of the rehearsal. The data folder is one of its own, in that of the other verbs, unless one is named.
func (st *studio) settings(own map[string]string) (config.Config, error) {
	s := st.session
	usual, err := s.config()
	if err != nil {
		return config.Config{}, err
	}
	own["data"] = filepath.Join(usual.Data, "rehearsal")
	for name, value := range s.globals.Set {
		own[name] = value
	}
	if s.globals.Data != "" {
		own["data"] = s.globals.Data
	}
	st.folder = own["data"]
	return config.Load(config.Options{Overrides: own})
}

// start serves the data folder until the run is over, and returns a key.
func (st *studio) start(ctx context.Context, cfg config.Config, on net.Listener) (key string, err error) {
	server, err := st.session.openEngine(ctx, cfg, st.session.quietLog())
	if errors.Is(err, recaller.Conflict) {
		err = hinted(err, "another call or a server has it; choose another with --data")
	}
	if err != nil {
		_ = on.Close() // the first error tells more
		return "", err
	}
	ctx = context.WithoutCancel(ctx) // after Ctrl-C the call ends first
	st.session.onClose(func() error { return server.Close(ctx) })
	serving, stop := context.WithCancel(ctx)
	over := make(chan error, 1)
	go func() { over <- server.Serve(serving, on) }()
	st.session.onClose(func() error {
		stop()
		return <-over
	})
	return server.BootstrapKey(), nil
}

// answers has the tenant answer calls by the bridge, and returns the number to call. One that answers them in another way
// is left as he is.
func (st *studio) answers(ctx context.Context) (number string, err error) {
	t, err := st.api.Tenant(ctx)
	if err != nil {
		return "", err
	}
	bridged := t.Telephone.Answer == recaller.AnswerBridge
	switch {
	case bridged && len(t.Numbers) > 0:
		return t.Numbers[0], nil
	case len(t.Numbers) > 0:
		return "", &failure{
			code: ExitFailed, msg: "the tenant of this folder has numbers, and does not bridge their calls",
			hint: "leave out --data, and the call has a folder of its own; or set telephone.answer to bridge",
		}
	}
	numbers, answer, tools := []string{rehearsed}, recaller.AnswerBridge, true
	_, err = st.api.UpdateTenant(ctx, client.TenantPatch{TenantSettings: client.TenantSettings{
		Numbers: &numbers, MemoryTools: &tools, Telephone: &client.TelephonePatch{Answer: &answer},
	}})
	return rehearsed, err
}

// from is who calls, as a platform says it: a number that is withheld stays one.
func (c *callCmd) from() (string, error) {
	if id := c.Phone.externalID(); id != "" {
		return "client:" + id, nil
	}
	if c.Phone == "" {
		return somebody, nil
	}
	number, err := identity.Phone(c.Phone.phone(), "US")
	switch {
	case errors.Is(err, identity.ErrWithheld):
		return "anonymous", nil
	case err != nil:
		return "", &failure{
			code: ExitUsage, msg: fmt.Sprintf("%q is no phone number", term.Clean(string(c.Phone))), err: err,
			hint: "write it with its country, +1 555 010 0199, ext:ID for an id of your own, or anonymous",
		}
	}
	return number, nil
}

// typedAt reports whether a person types.
func (s *session) typedAt() bool { return s.out.Terminal && term.IsTerminal(s.in) }

// keepSound writes the call as a WAV file.
func (st *studio) keepSound() error {
	said, heard := st.caller.Sound()
	file, err := os.OpenFile(st.cmd.Out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(rehearsal.Stereo(said, heard))
	return errors.Join(err, file.Close())
}
