package tenant

import (
	"slices"
	"time"

	"github.com/recallerhq/recaller"
)

// Bounds of how long an exchange of texts may be silent.
const (
	leastQuiet = time.Minute
	mostQuiet  = 7 * 24 * time.Hour
)

// texting checks what is done about texts to a tenant's numbers.
func texting(t recaller.Texting) error {
	switch {
	case !t.Reply.Valid():
		return recaller.InvalidField("texting.reply", "must be one of %v", recaller.TextReplies())
	case t.QuietAfter < leastQuiet || t.QuietAfter > mostQuiet:
		return recaller.InvalidField("texting.quiet_minutes", "must be between 1 and %d", int(mostQuiet.Minutes()))
	}
	return nil
}

// textable checks that the server can have texts answered as is chosen, if it is otherwise than before.
func (s *Service) textable(old, t *recaller.Tenant) error {
	if t.Texting.Reply == old.Texting.Reply || s.Replies == nil || slices.Contains(s.Replies, t.Texting.Reply) {
		return nil
	}
	return recaller.InvalidField("texting.reply", "may be %s only where a language model is configured (RECALLER_LLM_MODEL), "+
		"and a carrier's keys for what goes out (TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN, or TELNYX_API_KEY)", t.Texting.Reply)
}
