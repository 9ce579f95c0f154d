package embedtest

import (
	"bytes"
	"net/http"
	"slices"

	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
)

// These faults know the formats; endpointtest has those that do not.

// NoSuchWidth refuses to make vectors of another width than the model's own.
func NoSuchWidth() endpointtest.Fault {
	f := endpointtest.BadRequest("this model does not support specifying dimensions")
	f.Name = "no such width"
	return f
}

// Huge answers with a body of at least n bytes.
func Huge(n int) endpointtest.Fault {
	return endpointtest.Fault{Name: "huge", Send: func(x *endpointtest.Exchange) {
		x.Write(http.StatusOK, "application/json", append(bytes.Repeat([]byte{' '}, n), x.Body()...))
	}}
}

// WrongWidth makes all vectors as wide as that.
func WrongWidth(width int) endpointtest.Fault {
	return each("wrong width", func(it *item) { it.numbers = slices.Repeat([]string{"0.5"}, width) })
}

// Uneven makes the last vector narrower than the others.
func Uneven() endpointtest.Fault {
	return last("uneven", func(it *item) { it.numbers = it.numbers[1:] })
}

// Zero makes the last vector one without a direction.
func Zero() endpointtest.Fault {
	return last("zero", func(it *item) { it.numbers = slices.Repeat([]string{"0"}, len(it.numbers)) })
}

// Number puts a text where the last vector's first number should be: NaN, null, 1e999, "0.5".
func Number(text string) endpointtest.Fault {
	return last("number "+text, func(it *item) { it.numbers[0] = text })
}

// Reversed answers in the reverse order; OpenAI's format says so in each vector's index, and Ollama's cannot.
func Reversed() endpointtest.Fault {
	return changed("reversed", func(a []item) []item {
		slices.Reverse(a)
		return a
	})
}

// Unnumbered leaves out OpenAI's index.
func Unnumbered() endpointtest.Fault { return each("unnumbered", func(it *item) { it.index = "" }) }

// SameIndex gives all vectors the index that is told.
func SameIndex(index string) endpointtest.Fault {
	return each("same index", func(it *item) { it.index = index })
}

// TooFew leaves the last vector out.
func TooFew() endpointtest.Fault {
	return changed("too few", func(a []item) []item { return a[:len(a)-1] })
}

// TooMany answers with one vector more than there are texts.
func TooMany() endpointtest.Fault {
	return changed("too many", func(a []item) []item { return append(a, a[0]) })
}

func each(name string, change func(it *item)) endpointtest.Fault {
	return changed(name, func(a []item) []item {
		for i := range a {
			change(&a[i])
		}
		return a
	})
}

func last(name string, change func(it *item)) endpointtest.Fault {
	return changed(name, func(a []item) []item {
		change(&a[len(a)-1])
		return a
	})
}

func changed(name string, change func(a []item) []item) endpointtest.Fault {
	return endpointtest.Fault{Name: name, Change: func(w endpointtest.Wire) {
		x := w.(*exchange)
		x.answer = change(x.answer)
	}}
}
