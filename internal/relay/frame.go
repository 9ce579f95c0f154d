package relay

import (
	"encoding/json"
	"regexp"

	"github.com/recallerhq/recaller/internal/telephony"
)

// The types of frames that the platform sends.
const (
	typeSetup     = "setup"
	typePrompt    = "prompt"
	typeInterrupt = "interrupt"
	typeDTMF      = "dtmf"
	typeError     = "error"
)

// frame is a frame of the platform's: what is read of it. Fields that are not known are ignored, and so is
// durationUntilInterruptMs, which is a number or a string: the words say where an answer was cut off.
type frame struct {
	Type string `json:"type"`

	CallSid       string         `json:"callSid"` // of a setup
	CallControlID string         `json:"callControlId"`
	CallLegID     string         `json:"callLegId"`
	CallSessionID string         `json:"callSessionId"`
	Parameters    map[string]any `json:"customParameters"`

	Prompt string `json:"voicePrompt"`
	Lang   string `json:"lang"`
	Last   *bool  `json:"last"` // nil: the platform sends no partial prompts

	Heard string `json:"utteranceUntilInterrupt"`
}

// readFrame reads a frame. It fails if it is no object, or a field that counts is of another type.
func readFrame(data []byte) (frame, error) {
	var f frame
	err := json.Unmarshal(data, &f)
	return f, err
}

// calls are the ids of the call that a setup names.
func (f frame) calls() []string {
	var out []string
	for _, id := range []string{f.CallSid, f.CallControlID, f.CallLegID, f.CallSessionID} {
		if id != "" {
			out = append(out, id)
		}
	}
	return out
}

// token is the token that a setup brings back.
func (f frame) token() string {
	token, _ := f.Parameters[telephony.TokenParameter].(string)
	return token
}

// partial reports whether a prompt goes on.
func (f frame) partial() bool { return f.Last != nil && !*f.Last }

// languageForm is that of the languages that platforms name: "en-US", "de", "es-419".
var languageForm = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$`)

// language is the language of a prompt; empty: the platform names none.
func (f frame) language() string {
	if languageForm.MatchString(f.Lang) {
		return f.Lang
	}
	return ""
}

// text is a frame of ours: a piece of what is said. The last one may be empty.
type text struct {
	Type  string `json:"type"` // "text"
	Token string `json:"token"`
	Last  bool   `json:"last"`
	Lang  string `json:"lang,omitempty"`
}

// end is a frame of ours: the platform hangs up.
type end struct {
	Type string `json:"type"` // "end"
}
