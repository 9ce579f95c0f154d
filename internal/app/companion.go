package app

import (
	"context"
	"io"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/audio"
	"github.com/recallerhq/recaller/internal/httpapi"
	"github.com/recallerhq/recaller/internal/llm"
	"github.com/recallerhq/recaller/internal/telegram"
	"github.com/recallerhq/recaller/internal/thread"
)

// telegramURL is the Bot API that takes webhooks over HTTPS only.
const telegramURL = "https://api.telegram.org"

// accompany makes the companion on Telegram, if one is configured.
func (a *App) accompany(threads *thread.Service, model *llm.Client) error {
	c := a.cfg.Telegram
	if !c.Token.Set() {
		return nil
	}
	d := telegram.Deps{
		Threads: threads, Memories: a.memories, Personas: a.tenants, Marks: a.store, Export: a.export,
		Log: a.log, Registerer: a.registry, Now: a.opts.Now,
	}
	if model != nil {
		d.Model = model
	}
	if e := a.cfg.STT; e.BaseURL != "" {
		ears, err := audio.NewEars(audio.Settings{BaseURL: e.BaseURL, APIKey: e.APIKey.Reveal(), Model: e.Model})
		if err != nil {
			return err
		}
		d.Ears = ears
	}
	if e := a.cfg.TTS; e.BaseURL != "" {
		mouth, err := audio.NewMouth(audio.Settings{
			BaseURL: e.BaseURL, APIKey: e.APIKey.Reveal(), Model: e.Model, Voice: a.cfg.TTSVoice,
		})
		if err != nil {
			return err
		}
		d.Mouth = mouth
	}
	o := telegram.Options{
		Token: c.Token.Reveal(), Users: c.Users, BaseURL: c.URL, AtOnce: a.cfg.Model.Concurrency, Pace: a.opts.Telegram,
	}
	// Telegram sends updates over HTTPS only; a Bot API server of one's own over HTTP as well.
	if public := a.cfg.Public; strings.HasPrefix(public, "https:") || public != "" && c.URL != telegramURL {
		o.Webhook = public + telegram.Path
	}
	var err error
	a.companion, err = telegram.New(d, o)
	return err
}

// export writes everything that is held about a caller, as the API does.
func (a *App) export(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, w io.Writer) error {
	ctx, damage := recaller.WithDamage(ctx)
	e, err := a.privacy.Export(ctx, tenant, caller)
	if err != nil {
		return err
	}
	return httpapi.WriteExport(w, e, damage)
}
