package app

import (
	"github.com/recallerhq/recaller/internal/caller"
	"github.com/recallerhq/recaller/internal/webchat"
)

// chatting makes the door for visitors of web pages.
func (a *App) chatting(callers *caller.Service) (*webchat.Server, error) {
	d := webchat.Deps{
		Gate: a.gate, Tenants: a.tenants, Callers: callers, Conversations: a.conversations, Events: a.events,
		Log: a.log, Registerer: a.registry, Now: a.opts.Now,
	}
	if a.agent != nil {
		d.Agent = a.agent
	}
	o := a.opts.WebChat
	o.PublicURL, o.Proxies = a.cfg.Public, a.cfg.Proxies.Networks
	return webchat.New(d, o)
}
