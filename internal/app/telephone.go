package app

import (
	"github.com/recallerhq/recaller/internal/telephony"
	"github.com/recallerhq/recaller/internal/telephony/signed"
)

// answering makes the door of the telephone platforms.
func (a *App) answering() (*telephony.Server, error) {
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
	return telephony.New(telephony.Deps{
		Gate: a.gate, Tenants: a.tenants, Conversations: a.conversations, Tokens: telephony.NewTokens(a.opts.Now),
		Log: a.log, Registerer: a.registry, Now: a.opts.Now,
	}, telephony.Options{
		Twilio: twilio, Telnyx: telnyx, Commands: telephony.Commands{Key: c.TelnyxAPIKey.Reveal(), BaseURL: c.TelnyxURL},
		PublicURL: a.cfg.Public, Proxies: a.cfg.Proxies.Networks,
	})
}
