package search

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
)

func TestFuse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		words   []recaller.Near
		cosines map[recaller.ConversationID]float64
		want    []candidate
	}{
		"nothing": {nil, nil, []candidate{}},
		"words alone": {
			[]recaller.Near{{Conversation: "a", Score: 4}, {Conversation: "b", Score: 1}},
			nil,
			[]candidate{{"a", 0, 1}, {"b", 0, 0.25}},
		},
		"meaning alone, but for what points elsewhere": {
			nil,
			map[recaller.ConversationID]float64{"a": 0.25, "b": 0.75, "c": 0, "d": -0.5},
			[]candidate{{"b", 0.75, 1.125}, {"a", 0.25, 0.375}},
		},
		"both outweigh either": {
			[]recaller.Near{{Conversation: "a", Score: 4}, {Conversation: "b", Score: 3}},
			map[recaller.ConversationID]float64{"b": 0.75, "c": 1},
			[]candidate{{"b", 0.75, 1.875}, {"c", 1, 1.5}, {"a", 0, 1}},
		},
		"what points elsewhere loses nothing of its words": {
			[]recaller.Near{{Conversation: "a", Score: 4}},
			map[recaller.ConversationID]float64{"a": -1},
			[]candidate{{"a", -1, 1}},
		},
		"equal ones, the newer first": {
			[]recaller.Near{{Conversation: "1", Score: 4}, {Conversation: "2", Score: 4}},
			nil,
			[]candidate{{"2", 0, 1}, {"1", 0, 1}},
		},
		"an engine without scores": {
			[]recaller.Near{{Conversation: "a"}, {Conversation: "b"}},
			map[recaller.ConversationID]float64{"a": 0.5},
			[]candidate{{"a", 0.5, 1.75}, {"b", 0, 1}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, fuse(tt.words, tt.cosines, false), cmp.AllowUnexported(candidate{})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
