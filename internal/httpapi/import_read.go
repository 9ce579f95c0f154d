package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/recallerhq/recaller/client"
)

// errUnusual says that an import is to be read whole.
var errUnusual = errors.New("not an object with one list of turns")

// readImport reads one conversation. Where all is well with it, no more than a turn of its JSON is in memory at a time;
// else it is read whole, so that what is wrong is told as of any other body.
func (s *server) readImport(body *spool, at span) (client.ImportRequest, error) {
	if in, err := importByTurns(body.part(at)); err == nil {
		return in, nil
	}
	raw := make([]byte, at.size())
	if _, err := io.ReadFull(body.part(at), raw); err != nil {
		return client.ImportRequest{}, err
	}
	if at.from > 0 { // one of several, perhaps with what separates it from the one before
		raw = bytes.TrimLeft(raw, ", \t\r\n")
	}
	return decode[client.ImportRequest](s, raw)
}

// importByTurns reads a conversation turn by turn.
func importByTurns(body io.Reader) (in client.ImportRequest, err error) {
	dec := json.NewDecoder(body)
	dec.DisallowUnknownFields()
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return in, errors.Join(err, errUnusual)
	}
	var turns []client.TurnInput
	rest := []byte{'{'} // an object of what is not turns
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return in, err
		}
		if name, _ := key.(string); strings.EqualFold(name, "turns") {
			if name != "turns" || turns != nil {
				return in, errUnusual
			}
			if turns, err = turnsOf(dec); err != nil {
				return in, err
			}
			continue
		}
		if rest, err = member(dec, rest, key); err != nil {
			return in, err
		}
	}
	if _, err := dec.Token(); err != nil {
		return in, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return in, errUnusual
	}
	others := json.NewDecoder(bytes.NewReader(append(rest, '}')))
	others.DisallowUnknownFields()
	if err := others.Decode(&in); err != nil {
		return in, err
	}
	in.Turns = turns
	return in, nil
}

// turnsOf reads a list of turns, which is not nil.
func turnsOf(dec *json.Decoder) ([]client.TurnInput, error) {
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return nil, errors.Join(err, errUnusual)
	}
	turns := []client.TurnInput{}
	for dec.More() {
		var t client.TurnInput
		if err := dec.Decode(&t); err != nil {
			return nil, err
		}
		turns = append(turns, t)
	}
	_, err := dec.Token()
	return turns, err
}

// member appends a member of an object to it, as it was written.
func member(dec *json.Decoder, to []byte, key json.Token) ([]byte, error) {
	name, err := json.Marshal(key)
	if err != nil {
		return nil, err
	}
	var value json.RawMessage
	if err := dec.Decode(&value); err != nil {
		return nil, err
	}
	if len(to) > 1 {
		to = append(to, ',')
	}
	return append(append(append(to, name...), ':'), value...), nil
}
