package guard

import "github.com/recallerhq/recaller"

// Dialogue masks the turns of one conversation in their order. It remembers what each side was asked for, so that a
// number that is read out over several turns, with an "mhm" between, is masked to its end. It holds none of the words.
// The zero value is a conversation that has not begun; a copy goes its own way.
type Dialogue struct {
	byUser, byAgent ask // what each side asked for last
}

// Mask is the package's Mask for the next turn of the conversation.
func (d *Dialogue) Mask(speaker recaller.Speaker, text string) (masked string, found []Kind) {
	asked, own := d.byAgent, &d.byUser
	if speaker == recaller.Assistant {
		asked, own = d.byUser, &d.byAgent
	}
	masked = text
	if mayHold(text) || asked.has(askWord) && len(text) <= maxWordAnswer {
		masked, found = mask(text, asked)
	}
	d.heard(own, masked)
	return masked, found
}

// heard takes in what a side asks for with a turn. Who only nods still waits for what was asked.
func (d *Dialogue) heard(own *ask, text string) {
	if now := asks(text); now.has(secret|toldCard|toldID) || !isNod(tokenize(tail(text))) {
		*own = now
	}
}
