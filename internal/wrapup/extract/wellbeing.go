package extract

import (
	"strings"

	"github.com/recallerhq/recaller"
)

// moods say under which key a feeling goes.
var moods = map[string]string{
	"tired": "energy_level", "exhausted": "energy_level", "fatigued": "energy_level", "drained": "energy_level", "worn": "energy_level",
	"energetic": "energy_level", "energized": "energy_level", "sluggish": "energy_level", "weak": "energy_level", "rundown": "energy_level",
	"lonely": "mood", "sad": "mood", "down": "mood", "low": "mood", "depressed": "mood", "blue": "mood", "cheerful": "mood", "isolated": "mood",
	"anxious": "mood", "stressed": "mood", "overwhelmed": "mood", "worried": "mood", "happier": "mood", "happy": "mood", "homesick": "mood", "restless": "mood",
	"burnt": "mood", "burned": "mood", "nervous": "mood", "unwell": "health", "poorly": "health", "dizzy": "health", "better": "health", "worse": "health",
	"unmotivated": "mood", "bored": "mood",
}

var lasting = set(`lately recently nowadays`)

// feeling reads how one is: "feeling tired lately", "sleeping much better", "so lonely these days". It reports whether it was
// a feeling.
func (x *extractor) feeling(s sentence, v int, lead string) bool {
	been := s.is(v-1, "been") || s.is(v-2, "been") || s.is(v-3, "been")
	if s.is(v, "sleeping") {
		return x.sleeping(s, v)
	}
	if s.is(v, "feeling") {
		v++
	}
	n := v
	for s.in(n, adverbs) || s.in(n, degrees) || s.is(n, "much") || s.is(n, "little") || s.is(n, "more") {
		n++
	}
	key := moods[s.w(n)]
	if key == "mood" && (s.is(n+1, "with") || s.is(n, "happy") && !s.broken(n)) {
		return true
	}
	if key == "" || s.is(n, "better", "at") || s.is(n, "down", "to") || s.is(n, "low", "on") {
		return false
	}
	end := s.object(n, 7, false)
	last := s.clauseEnd(n, 9)
	stays := been
	for i := n; i < last; i++ {
		stays = stays || s.in(i, lasting) || s.is(i, "these", "days") || s.is(i, "for") && s.oneOf(i+1, `weeks months days`)
	}
	if s.oneOf(n+1, `of about with by that to for because from out`) {
		end = n + 1 + b2i(s.is(n+1, "out"))
	}
	felt := s.is(v-1, "feeling") || s.is(v-1, "feel")
	if !stays && !(felt && key != "health" && !s.oneOf(n, `happy overwhelmed better bored`)) || key == "health" && !felt && !been {
		return key != "health"
	}
	if !s.clean(v, end) {
		end = n + 1
	}
	text := s.value(v, end)
	if stays {
		text = s.value(v, s.lastingEnd(end))
	}
	return x.keep(draft{recaller.Wellbeing, key, lead + strings.TrimSpace(text), 0.8, nil, false})
}

// lastingEnd takes "lately" or "these days" along if it comes right after the feeling, which ends at end.
func (s sentence) lastingEnd(end int) int {
	for i := end; i < len(s.words) && i <= end+1 && s.words[i-1].after == 0; i++ {
		if s.oneOf(i, `lately recently nowadays now days`) {
			return i + 1
		}
	}
	return end
}

func (x *extractor) sleeping(s sentence, v int) bool {
	n := v + 1
	for s.in(n, adverbs) || s.in(n, degrees) || s.is(n, "much") {
		n++
	}
	if !s.oneOf(n, `better badly well poorly worse terribly less little soundly`) {
		return false
	}
	text := "sleeping " + s.value(v+1, s.lastingEnd(n+1))
	return x.keep(draft{recaller.Wellbeing, "sleep_quality", text, 0.85, nil, false})
}
