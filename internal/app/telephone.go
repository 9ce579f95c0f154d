package app

import (
	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/carrier"
	"github.com/recallerhq/recaller/internal/relay"
	"github.com/recallerhq/recaller/internal/telephony"
	"github.com/recallerhq/recaller/internal/telephony/signed"
)

// answering makes the door of the telephone platforms.
func (a *App) answering(tools bridge.Tools) (*telephony.Server, error) {
	c := a.cfg.Telephone
	tokens := make([]string, len(c.TwilioTokens))
	for i, t := range c.TwilioTokens {
		tokens[i] = t.Reveal()
	}
	twilio, err := signed.NewTwilio(a.cfg.Public, c.TwilioFragment, tokens...)
	if err != nil {
		return nil, err
	}
	telnyx, err := signed.NewTelnyx(c.TelnyxKeys...)
	if err != nil {
		return nil, err
	}
	sockets := map[recaller.TelephoneAnswer]telephony.Socket{}
	if a.agent != nil {
		sockets[recaller.AnswerRelay], err = relay.New(relay.Deps{
			Conversations: a.conversations, Agent: a.agent, Log: a.log, Registerer: a.registry, Now: a.opts.Now,
		}, a.opts.Relay)
		if err != nil {
			return nil, err
		}
	}
	if speaks, ok := a.cfg.Realtime(); ok {
		sockets[recaller.AnswerBridge] = a.bridging(speaks, tools)
	}
	if a.cfg.Deepgram.APIKey.Set() {
		sockets[recaller.AnswerForward] = a.listening(a.cfg.Deepgram)
	}
	return telephony.New(telephony.Deps{
		Gate: a.gate, Tenants: a.tenants, Conversations: a.conversations, Texts: a.texting, Errands: a.errands,
		Tokens: telephony.NewTokens(a.opts.Now),
		Log:    a.log, Registerer: a.registry, Now: a.opts.Now,
	}, telephony.Options{
		Twilio: twilio, Telnyx: telnyx, Commands: telephony.Commands{Key: c.TelnyxAPIKey.Reveal(), BaseURL: c.TelnyxURL},
		PublicURL: a.cfg.Public, Proxies: a.cfg.Proxies.Networks, Sockets: sockets,
	})
}

// outgoing makes the client by which texts and calls go out.
func (a *App) outgoing() *carrier.Client {
	c := a.cfg.Telephone
	s := carrier.Settings{
		TwilioAccount: c.TwilioAccount, TwilioURL: c.TwilioURL, TelnyxKey: c.TelnyxAPIKey.Reveal(), TelnyxURL: c.TelnyxURL,
	}
	for _, t := range c.TwilioTokens {
		s.TwilioTokens = append(s.TwilioTokens, t.Reveal())
	}
	return carrier.New(s)
}

// hasModel reports whether a language model is configured, and with it the built-in agent.
func (a *App) hasModel() bool {
	_, ok := a.cfg.Provider()
	return ok
}

// sockets are the answers to calls that this server has sockets for: with a model the built-in agent answers, with a
// realtime model that one does.
func (a *App) sockets() (out []recaller.TelephoneAnswer) {
	if a.hasModel() {
		out = append(out, recaller.AnswerRelay)
	}
	if _, ok := a.cfg.Realtime(); ok {
		out = append(out, recaller.AnswerBridge)
	}
	return out
}
