package tenant

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/identity"
)

// Bounds of what is dialled and spoken with.
const (
	maxDialled = 255 // bytes
	maxVoice   = 100 // bytes
)

// voiceForm is that of the names that platforms have for voices: "Polly.Amy-Neural", "Telnyx.Kokoro.af", "alice".
var voiceForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/-]*$`)

// telephone checks how a tenant's calls are answered, and normalises it. The numbers are normalised already.
func telephone(t *recaller.Tenant) error {
	p := &t.Telephone
	switch {
	case !p.Answer.Valid():
		return recaller.InvalidField("telephone.answer", "must be one of %v", recaller.TelephoneAnswers())
	case p.Answer == recaller.AnswerForward && p.ForwardTo == "":
		return recaller.InvalidField("telephone.forward_to", "is required to forward calls: a number or a SIP address")
	case len(p.Greeting) > maxText:
		return recaller.InvalidField("telephone.greeting", "must be at most %d bytes", maxText)
	case p.Voice != "" && (len(p.Voice) > maxVoice || !voiceForm.MatchString(p.Voice)):
		return recaller.InvalidField("telephone.voice", "must be the platform's name of a voice, like Polly.Amy-Neural")
	}
	if p.Language != "" {
		tag, err := language.Parse(p.Language)
		if err != nil || tag == language.Und {
			return recaller.InvalidField("telephone.language", "must be a language as BCP 47 has it, like en-GB")
		}
		p.Language = tag.String()
	}
	if p.ForwardTo == "" {
		return nil
	}
	to, err := dialled(p.ForwardTo, t.DefaultRegion)
	if err != nil {
		return err
	}
	if slices.Contains(t.Numbers, to) {
		return recaller.InvalidField("telephone.forward_to", "is one of the tenant's own numbers: the call would come back")
	}
	p.ForwardTo = to
	return nil
}

// dialled normalises where a call is forwarded to.
func dialled(to, region string) (string, error) {
	const field = "telephone.forward_to"
	scheme, rest, _ := strings.Cut(to, ":")
	if scheme = strings.ToLower(scheme); scheme != "sip" && scheme != "sips" {
		n, err := identity.Phone(to, region)
		if err != nil {
			return "", recaller.InvalidField(field, "%s", message(err))
		}
		return n, nil
	}
	address, _, _ := strings.Cut(rest, ";")
	u, err := url.Parse("sip://" + address)
	switch {
	case len(to) > maxDialled || strings.ContainsFunc(to, notKey):
		return "", recaller.InvalidField(field, "must be at most %d characters of ASCII, without spaces", maxDialled)
	case err != nil || u.Hostname() == "" || u.User.Username() == "" || u.Path != "":
		return "", recaller.InvalidField(field, "must be a number, or a SIP address like sip:agent@example.com")
	case strings.Contains(u.User.String(), ":"):
		return "", recaller.InvalidField(field, "must be a SIP address without a password")
	}
	return scheme + ":" + rest, nil
}

// answerable checks that the server can give the answer that is chosen, if it is another than before.
func (s *Service) answerable(old, t *recaller.Tenant) error {
	if t.Telephone.Answer == old.Telephone.Answer || s.Answers == nil || slices.Contains(s.Answers, t.Telephone.Answer) {
		return nil
	}
	needs := "a language model is configured (RECALLER_LLM_MODEL)"
	if t.Telephone.Answer == recaller.AnswerBridge {
		needs = "a realtime model is configured (RECALLER_REALTIME_URL, or the key of its provider)"
	}
	return recaller.InvalidField("telephone.answer", "may be %s only where %s", t.Telephone.Answer, needs)
}

// audible checks that the server can listen to calls, if it is to do so from now on.
func (s *Service) audible(old, t *recaller.Tenant) error {
	if !t.Telephone.Listen || old.Telephone.Listen || !s.NoEars {
		return nil
	}
	return recaller.InvalidField("telephone.listen", "needs a recogniser: this server has no key of Deepgram's")
}
