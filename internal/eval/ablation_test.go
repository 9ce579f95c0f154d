package eval

import (
	"testing"

	"github.com/recallerhq/recaller/internal/recall/index"
)

// An ingredient that leaves nothing out of the weights as they are, or the same as another, would be told to be worth
// nothing.
func TestEveryAblationLeavesSomethingOut(t *testing.T) {
	t.Parallel()
	whole := index.DefaultWeights()
	met := map[index.Weights]string{whole: "nothing"}
	for _, in := range ingredients() {
		w := whole
		in.leave(&w)
		if other, ok := met[w]; ok {
			t.Errorf("without %s the weights are as they are without %s", in.name, other)
		}
		met[w] = in.name
	}
}
