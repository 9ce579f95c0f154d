package mediastream_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/mediastream"
)

func TestRead(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		wire mediastream.Wire
		raw  string
		want mediastream.Frame
	}{
		{"Twilio connects", mediastream.Twilio, `{"event":"connected","protocol":"Call","version":"1.0.0"}`, mediastream.Frame{Kind: mediastream.Connected}},
		{
			"Telnyx connects with the token", mediastream.Telnyx, `{"event":"connected","version":"1.0.0","connected":{"x-telnyx-streaming-auth-token":"tok"}}`,
			mediastream.Frame{Kind: mediastream.Connected, Token: "tok"},
		},
		{
			"Twilio begins", mediastream.Twilio,
			`{"event":"start","sequenceNumber":"1","streamSid":"MZ1","start":{"streamSid":"MZ1","accountSid":"AC1","callSid":"CA1","tracks":["inbound"],"customParameters":{"tok":"one"},"mediaFormat":{"encoding":"audio/x-mulaw","sampleRate":8000,"channels":1}}}`,
			mediastream.Frame{Kind: mediastream.Started, Start: mediastream.Start{Stream: "MZ1", Call: "CA1", Account: "AC1", Parameters: map[string]string{"tok": "one"}, Encoding: "audio/x-mulaw", Rate: 8000, Channels: 1}},
		},
		{
			"Telnyx begins, and nobody knows who calls", mediastream.Telnyx,
			`{"event":"start","sequence_number":"1","stream_id":"s1","start":{"user_id":"u1","call_control_id":"v3:c","call_session_id":"x","from":null,"to":"+15550002222","custom_parameters":{"person":"p_1"},"media_format":{"encoding":"PCMU","sample_rate":8000,"channels":1}}}`,
			mediastream.Frame{Kind: mediastream.Started, Start: mediastream.Start{Stream: "s1", Call: "v3:c", Account: "u1", Session: "x", To: "+15550002222", Parameters: map[string]string{"person": "p_1"}, Encoding: "PCMU", Rate: 8000, Channels: 1}},
		},
		{
			"parameters as a list", mediastream.Telnyx, `{"event":"start","stream_id":"s1","start":{"custom_parameters":[{"name":"tok","value":"one"}]}}`,
			mediastream.Frame{Kind: mediastream.Started, Start: mediastream.Start{Stream: "s1", Parameters: map[string]string{"tok": "one"}}},
		},
		{
			"audio, numbers as strings", mediastream.Twilio, `{"event":"media","sequenceNumber":"4","streamSid":"MZ1","media":{"track":"inbound","chunk":"2","timestamp":"40","payload":"/38A"}}`,
			mediastream.Frame{Kind: mediastream.Media, Payload: "/38A", Chunk: 2, At: 40 * time.Millisecond},
		},
		{
			"audio, numbers as numbers, a slash escaped", mediastream.Telnyx, `{"event":"media","sequence_number":5,"stream_id":"s1","media":{"track":"inbound","chunk":2,"timestamp":40,"payload":"\/38A"}}`,
			mediastream.Frame{Kind: mediastream.Media, Payload: "/38A", Chunk: 2, At: 40 * time.Millisecond},
		},
		{"audio of the other side", mediastream.Telnyx, `{"event":"media","media":{"track":"outbound","chunk":"2","payload":"/38A"}}`, mediastream.Frame{Kind: mediastream.Media, IsTheirs: true, Chunk: 2, Payload: "/38A"}},
		{"audio of a third side", mediastream.Twilio, `{"event":"media","media":{"track":"whisper","payload":"/38A"}}`, mediastream.Frame{}},
		{"a key", mediastream.Twilio, `{"event":"dtmf","streamSid":"MZ1","sequenceNumber":"9","dtmf":{"track":"inbound_track","digit":"5"}}`, mediastream.Frame{Kind: mediastream.Digit, Digit: "5"}},
		{"a mark", mediastream.Telnyx, `{"event":"mark","stream_id":"s1","mark":{"name":"m1"}}`, mediastream.Frame{Kind: mediastream.Mark, Mark: "m1"}},
		{"the end", mediastream.Twilio, `{"event":"stop","streamSid":"MZ1","stop":{"accountSid":"AC1","callSid":"CA1"}}`, mediastream.Frame{Kind: mediastream.Stopped}},
		{"a fault", mediastream.Telnyx, `{"event":"error","stream_id":"s1","payload":{"code":100003,"title":"t","detail":"d"}}`, mediastream.Frame{Kind: mediastream.Fault, Code: 100003}},
		{"what is not known", mediastream.Twilio, `{"event":"weather"}`, mediastream.Frame{}},
	}
	for _, test := range tests {
		got, err := test.wire.Read([]byte(test.raw))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.name, diff)
		}
	}
}

func TestWhoseWireItIs(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]mediastream.Wire{
		`{"event":"connected"}`: mediastream.Any,
		`nonsense`:              mediastream.Any,
		`{"event":"start","streamSid":"MZ1","start":{}}`:         mediastream.Twilio,
		`{"event":"start","stream_id":"s1","start":{"from":""}}`: mediastream.Telnyx,
	} {
		if got, ok := mediastream.WireOf([]byte(raw)); got != want || ok != (want != mediastream.Any) {
			t.Errorf("%s: got %v, %v", raw, got, ok)
		}
	}
}

func TestMalformedFramesAreRefused(t *testing.T) {
	t.Parallel()
	many := `{"event":"start","streamSid":"s","start":{"customParameters":{`
	for i := range 40 {
		many += fmt.Sprintf(`"p%d":"",`, i)
	}
	for _, raw := range []string{
		``, `[]`, `"media"`, `{`, `{}`, `{"event":"media"}`, `{"event":"media","media":{"payload":""}}`,
		`{"event":"media","media":{"payload":"\"}"}}`, `{"event":"media","media":{"payload":"===="}}`,
		`{"event":"media","media":{"payload":"` + strings.Repeat("A", 50<<10) + `"}}`, strings.Repeat(" ", mediastream.MaxFrame+1),
		`{"event":"dtmf","dtmf":{"digit":"12"}}`, `{"event":"dtmf","dtmf":{"digit":"x"}}`, `{"event":"start","start":{}}`,
		`{"event":"start","streamSid":"` + strings.Repeat("s", 600) + `"}`, many + `"last":""}}}`,
		`{"event":"mark","mark":{"name":"` + strings.Repeat("m", 65) + `"}}`,
	} {
		if f, err := mediastream.Twilio.Read([]byte(raw)); !errors.Is(err, recaller.Invalid) {
			t.Errorf("%.60s: got %+v, %v, want invalid", raw, f, err)
		}
	}
}

func TestFormsThatGoThrough(t *testing.T) {
	t.Parallel()
	tests := []struct {
		start mediastream.Start
		want  bool
	}{
		{mediastream.Start{Encoding: "audio/x-mulaw", Rate: 8000, Channels: 1}, true},
		{mediastream.Start{Encoding: "PCMU", Rate: 8000, Channels: 1}, true},
		{mediastream.Start{}, true},
		{mediastream.Start{Encoding: "PCMA", Rate: 8000, Channels: 1}, false},
		{mediastream.Start{Encoding: "L16", Rate: 16000, Channels: 1}, false},
		{mediastream.Start{Encoding: "PCMU", Rate: 8000, Channels: 2}, false},
	}
	for _, test := range tests {
		if got := test.start.Speakable(); got != test.want {
			t.Errorf("%+v: got %v, want %v", test.start, got, test.want)
		}
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	id := mediastream.Quote(`M"Z`)
	tests := []struct{ got, want string }{
		{string(mediastream.Twilio.AppendMedia(nil, id, "AAAA")), `{"event":"media","streamSid":"M\"Z","media":{"payload":"AAAA"}}`},
		{string(mediastream.Twilio.AppendMark(nil, id, "m7")), `{"event":"mark","streamSid":"M\"Z","mark":{"name":"m7"}}`},
		{string(mediastream.Twilio.AppendClear(nil, id)), `{"event":"clear","streamSid":"M\"Z"}`},
		{string(mediastream.Telnyx.AppendMedia(nil, id, "AAAA")), `{"event":"media","media":{"payload":"AAAA"}}`},
		{string(mediastream.Telnyx.AppendMark(nil, id, "m7")), `{"event":"mark","mark":{"name":"m7"}}`},
		{string(mediastream.Telnyx.AppendClear(nil, id)), `{"event":"clear"}`},
	}
	for _, test := range tests {
		if test.got != test.want {
			t.Errorf("got %s, want %s", test.got, test.want)
		}
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	for n := 1; n < 3000; n += 7 {
		audio := make([]byte, n)
		for i := range audio {
			audio[i] = byte(i * 31)
		}
		payload := base64.StdEncoding.EncodeToString(audio)
		var joined []byte
		pieces := mediastream.Split(payload, 90)
		if shortest := len(pieces[len(pieces)-1]); len(pieces) > 1 && shortest < len(pieces[0])-8*len(pieces) {
			t.Errorf("%d bytes end in a piece of %d letters behind others of %d", n, shortest, len(pieces[0]))
		}
		for _, piece := range pieces {
			part, err := base64.StdEncoding.DecodeString(piece)
			if err != nil {
				t.Fatal(err)
			}
			if len(part) > 90*mediastream.BytesPerMS || len(part) != mediastream.Len(piece) {
				t.Errorf("a piece of %d bytes has %d, by its length %d", n, len(part), mediastream.Len(piece))
			}
			joined = append(joined, part...)
		}
		if string(joined) != string(audio) {
			t.Fatalf("%d bytes are not the same in pieces", n)
		}
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		in   []int64 // 0: the end
		want string
	}{
		{"in order", []int64{1, 2, 3, 0}, "1 2 3 end"},
		{"two change places", []int64{1, 3, 2, 4, 0}, "1 2 3 4 end"},
		{"the first is late", []int64{2, 1, 3, 0}, "1 2 3 end"},
		{"twice", []int64{1, 2, 2, 3, 3, 0}, "1 2 3 end"},
		{"one never comes", []int64{1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0}, "1 3 4 5 6 7 8 9 10 11 12 end"},
		{"and then does", []int64{1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 2, 12, 0}, "1 3 4 5 6 7 8 9 10 11 12 end"},
		{"the end brings what is held", []int64{1, 3, 4, 0}, "1 3 4 end"},
		{"numbering begins anywhere", []int64{500, 501, 503, 502, 0}, "500 501 502 503 end"},
	}
	for _, test := range tests {
		var o mediastream.Order
		var out []string
		for _, n := range test.in {
			f := mediastream.Frame{Kind: mediastream.Media, Chunk: n}
			if n == 0 {
				f.Kind = mediastream.Stopped
			}
			for _, f := range o.Add(f) {
				if f.Kind == mediastream.Stopped {
					out = append(out, "end")
				} else {
					out = append(out, fmt.Sprint(f.Chunk))
				}
			}
		}
		if got := strings.Join(out, " "); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"event":"media","media":{"track":"inbound","chunk":"2","timestamp":"40","payload":"/38A"}}`))
	f.Add([]byte(`{"event":"start","streamSid":"s","start":{"customParameters":{"a":1}}}`))
	f.Add([]byte(`{"event":"error","payload":7}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, w := range []mediastream.Wire{mediastream.Twilio, mediastream.Telnyx} {
			got, err := w.Read(raw)
			if err != nil && !errors.Is(err, recaller.Invalid) {
				t.Fatalf("got %v, want invalid", err)
			}
			if err != nil || got.Kind != mediastream.Media {
				continue
			}
			out := w.AppendMedia(nil, mediastream.Quote("s"), got.Payload)
			var back struct{ Media struct{ Payload string } }
			if err := json.Unmarshal(out, &back); err != nil || back.Media.Payload != got.Payload {
				t.Fatalf("%q was written as %q: %v", got.Payload, out, err)
			}
		}
	})
}

func FuzzOrder(f *testing.F) {
	f.Add([]byte{1, 3, 2, 2, 9, 8, 200})
	f.Fuzz(func(t *testing.T, chunks []byte) {
		var o mediastream.Order
		last, n := int64(0), 0
		for _, c := range append(chunks, 0) {
			in := mediastream.Frame{Kind: mediastream.Media, Chunk: int64(c)}
			if c == 0 {
				in.Kind = mediastream.Stopped
			}
			for _, out := range o.Add(in) {
				if out.Kind != mediastream.Media {
					continue
				}
				if out.Chunk <= last {
					t.Fatalf("%d came after %d", out.Chunk, last)
				}
				last = out.Chunk
				n++
			}
		}
		media := len(chunks) - strings.Count(string(chunks), "\x00")
		if n+o.Late != media {
			t.Fatalf("of %d frames %d came out, and %d were left out", media, n, o.Late)
		}
	})
}

// Both sides of a call are put in order, each for itself.
func TestTheSidesOfACallAreInOrder(t *testing.T) {
	t.Parallel()
	var o mediastream.Order
	var got []string
	frame := func(chunk int64, theirs bool) {
		for _, f := range o.Add(mediastream.Frame{Kind: mediastream.Media, Chunk: chunk, IsTheirs: theirs}) {
			got = append(got, fmt.Sprint(f.Chunk, f.IsTheirs))
		}
	}
	frame(1, false)
	frame(2, true)
	frame(2, false)
	frame(1, true)
	frame(1, true)
	if want := []string{"1 false", "2 false", "1 true", "2 true"}; !slices.Equal(got, want) || o.Late != 1 {
		t.Errorf("got %q, %d late; want %q", got, o.Late, want)
	}
}
