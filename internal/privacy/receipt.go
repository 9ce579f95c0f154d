package privacy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
)

// ReadReceipt reads a receipt that somebody kept, as it was issued but for the order of its fields and the space
// between them. What says more, less or the same in another way is Invalid: of words that are not in what it returns
// nobody could say that they were signed.
func ReadReceipt(raw []byte) (recaller.Receipt, error) {
	r, err := decoded(raw)
	if err != nil {
		return recaller.Receipt{}, err
	}
	again, err := json.Marshal(r)
	if err != nil {
		return recaller.Receipt{}, recaller.Wrap(recaller.Invalid, err, "it is no receipt as JSON")
	}
	told, issued := places(raw), places(again)
	all := maps.Clone(issued)
	maps.Copy(all, told)
	for _, place := range slices.Sorted(maps.Keys(all)) {
		if !slices.Equal(told[place], issued[place]) {
			return recaller.Receipt{}, unissued(place, len(told[place]), len(issued[place]))
		}
	}
	return r, nil
}

// decoded takes the fields of a receipt, if there are no others and nothing follows.
func decoded(raw []byte) (r recaller.Receipt, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if dec.Decode(&r) != nil {
		if json.NewDecoder(bytes.NewReader(raw)).Decode(&recaller.Receipt{}) == nil {
			return r, recaller.Errorf(recaller.Invalid, "it has a field that no receipt has")
		}
		return r, recaller.Errorf(recaller.Invalid, "it is no receipt as JSON")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return r, recaller.Errorf(recaller.Invalid, "something follows the receipt")
	}
	return r, nil
}

// unissued says how a place is told, so often, that is issued so often.
func unissued(place string, told, issued int) error {
	field, _, _ := strings.Cut(place, ".")
	switch {
	case issued == 0: // but for its case, which decoding does not mind
		return recaller.Errorf(recaller.Invalid, "it has a field that no receipt has")
	case told == 0:
		return recaller.InvalidField(field, "is required")
	case told > issued:
		return recaller.InvalidField(field, "is there more than once, or something in it is")
	}
	return recaller.InvalidField(field, "is not written as a receipt has it")
}

// places lists what stands at each place of a receipt as JSON, such as "erased.turns", each time that it is there.
func places(raw []byte) map[string][]string {
	out := map[string][]string{}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var visit func(place string)
	visit = func(place string) {
		t, err := dec.Token()
		if err != nil { // it was decoded before
			return
		}
		out[place] = append(out[place], fmt.Sprintf("%T %v", t, t))
		within, nested := t.(json.Delim)
		for nested && dec.More() {
			name := any("[]")
			if within == '{' {
				name, _ = dec.Token()
			}
			visit(strings.TrimPrefix(fmt.Sprintf("%s.%v", place, name), "."))
		}
		if nested {
			_, _ = dec.Token() // its end
		}
	}
	visit("")
	return out
}
