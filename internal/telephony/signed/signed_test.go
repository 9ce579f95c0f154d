package signed_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller/internal/telephony/signed"
)

// The vectors that Twilio's and Telnyx's own libraries accept.
const (
	token  = "0123456789abcdef0123456789abcdef"
	other  = "fedcba9876543210fedcba9876543210"
	public = "https://mem.example.test"

	formTarget = "/twilio/voice?tenant=t1"
	formSig    = "jrbVAhBeBPACb3T9N+pobtedPjc="
	jsonBody   = `{"a":1,"b":"x"}`
	jsonTarget = "/twilio/json?bodySHA256=ecf9e98ec0641e23113ff3ce8bdc78d0ddd249886517fd4a7f68cc83d4e65667"
	jsonSig    = "iQR3xEFCvUPGbVkHeGjQvlMZb0M="
	socketPath = "/twilio/media"
	socketSig  = "ei1l5HxR0A3vo8PAE0CQlBzECpw="
	slashSig   = "9iGJ1lNRZm+mn3dbf3ozENnfXfk="

	telnyxKey  = "6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw="
	telnyxBody = `{"data":{"event_type":"call.hangup"}}`
	telnyxSig  = "Ud6K0+HAUTaEOvzfm63K8NTIwCKBh8vrwg+g1obwmt1FLyevSwJar9gK+nht55FTE1f4A3IO0EN0NxP0xCSkCg=="
	telnyxTime = 1760000000
)

func form() url.Values {
	return url.Values{
		"CallSid": {"CA11111111111111111111111111111111"}, "From": {"+15550001111"}, "To": {"+15550002222"},
		"CallStatus": {"ringing"}, "Direction": {"inbound"}, "CallerName": {"JOSÉ Q"},
	}
}

func twilio(t *testing.T, public, fragment string, tokens ...string) signed.Twilio {
	t.Helper()
	out, err := signed.NewTwilio(public, fragment, tokens...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestFormsOfTwilio(t *testing.T) {
	t.Parallel()
	changed := func(change func(url.Values)) url.Values {
		f := form()
		change(f)
		return f
	}
	sign := func(address string) string { return signed.Signature(token, address, form()) }
	const full = public + formTarget
	for name, c := range map[string]struct {
		public, fragment string
		tokens           []string
		sig, target      string
		form             url.Values
		want             bool
	}{
		"the vector":                         {sig: formSig, want: true},
		"an older token, while two are used": {tokens: []string{other, token}, sig: formSig, want: true},
		"another token":                      {tokens: []string{other}, sig: formSig},
		"no token":                           {tokens: []string{}, sig: formSig},
		"no public URL":                      {public: "-", sig: formSig},
		"no signature":                       {},
		"a signature that is no base64":      {sig: "!" + formSig},
		"a signature with a line's end":      {sig: formSig + "\n"},
		"a signature that is cut":            {sig: formSig[:24]},
		"another query":                      {sig: formSig, target: "/twilio/voice?tenant=t2"},
		"another path":                       {sig: formSig, target: "/twilio/void?tenant=t1"},
		"another host":                       {public: "https://other.example.test", sig: formSig},
		"another scheme":                     {public: "http://mem.example.test", sig: formSig},
		"one more field":                     {sig: formSig, form: changed(func(f url.Values) { f.Set("Digits", "1") })},
		"one more value":                     {sig: formSig, form: changed(func(f url.Values) { f.Add("From", "+15550009999") })},
		"the same value twice":               {sig: formSig, form: changed(func(f url.Values) { f.Add("From", f.Get("From")) }), want: true},
		"a changed value":                    {sig: formSig, form: changed(func(f url.Values) { f.Set("From", "+15550001112") })},
		"a trimmed value":                    {sig: formSig, form: changed(func(f url.Values) { f.Set("CallerName", "JOSÉ Q ") })},
		"signed with the scheme's port":      {sig: sign("https://mem.example.test:443" + formTarget), want: true},
		"signed with another port":           {sig: sign("https://mem.example.test:80" + formTarget)},
		"ours has the scheme's port":         {public: public + ":443", sig: formSig, want: true},
		"ours has another port":              {public: public + ":8443", sig: sign(public + ":8443" + formTarget), want: true},
		"another port, signed without":       {public: public + ":8443", sig: formSig, want: true},
		"a port of plain HTTP":               {public: "http://mem.example.test", sig: sign("http://mem.example.test:80" + formTarget), want: true},
		"an address of IPv6":                 {public: "https://[2001:db8::1]:8443", sig: sign("https://[2001:db8::1]" + formTarget), want: true},
		"a path before ours":                 {public: public + "/memory", sig: sign(public + "/memory" + formTarget), want: true},
		"a path with a slash at the end":     {public: public + "/", sig: formSig, want: true},
		"a fragment that came":               {sig: formSig, target: formTarget + "#rc=2", want: true},
		"a fragment that came and is signed": {sig: sign(full + "#rc=2"), target: formTarget + "#rc=2", want: true},
		"a fragment that we know of":         {fragment: "ct=2000&rc=2", sig: sign(full + "#ct=2000&rc=2"), want: true},
		"a fragment that is not signed":      {fragment: "ct=2000&rc=2", sig: formSig, want: true},
		"a fragment, and the scheme's port":  {fragment: "rc=2", sig: sign("https://mem.example.test:443" + formTarget + "#rc=2"), want: true},
		"another fragment":                   {fragment: "rc=3", sig: sign(full + "#rc=2")},
	} {
		if c.tokens == nil {
			c.tokens = []string{token}
		}
		switch c.public {
		case "":
			c.public = public
		case "-":
			c.public = ""
		}
		if c.target == "" {
			c.target = formTarget
		}
		if c.form == nil {
			c.form = form()
		}
		if got := twilio(t, c.public, c.fragment, c.tokens...).Form(c.sig, c.target, c.form); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

// As twilio-node does it: each value of a name once, sorted, and empty values count.
func TestRepeatedFieldsOfTwilio(t *testing.T) {
	t.Parallel()
	got := signed.Signature(token, "https://a.test/x", url.Values{"A": {"z"}, "B": {"2", "1", "2"}, "E": {""}})
	if want := "Q+Q45f7R74sKUFBkdqlMhHc9MAM="; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestBodiesOfTwilio(t *testing.T) {
	t.Parallel()
	tw := twilio(t, public, "", token)
	for name, c := range map[string]struct {
		sig, target, body string
		want              bool
	}{
		"the vector":        {jsonSig, jsonTarget, jsonBody, true},
		"another body":      {jsonSig, jsonTarget, jsonBody + " ", false},
		"another signature": {formSig, jsonTarget, jsonBody, false},
		"no hash":           {signed.Signature(token, public+"/twilio/json", nil), "/twilio/json", jsonBody, false},
		"two hashes":        {signed.Signature(token, public+jsonTarget+"&bodySHA256=00", nil), jsonTarget + "&bodySHA256=00", jsonBody, false},
		"a hash in capitals": {
			signed.Signature(token, public+strings.Replace(jsonTarget, "ecf9", "ECF9", 1), nil), strings.Replace(jsonTarget, "ecf9", "ECF9", 1), jsonBody, false,
		},
		"a query that is none": {signed.Signature(token, public+jsonTarget+"&a=%zz", nil), jsonTarget + "&a=%zz", jsonBody, false},
	} {
		if got := tw.JSON(c.sig, c.target, []byte(c.body)); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestSocketsOfTwilio(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		public, sig, target string
		want                bool
	}{
		"the vector":                 {public, socketSig, socketPath, true},
		"a slash in what was signed": {public, slashSig, socketPath, true},
		"a slash in what came":       {public, socketSig, socketPath + "/", true},
		"a slash in both":            {public, slashSig, socketPath + "/", true},
		"the scheme's port":          {public, signed.Signature(token, "wss://mem.example.test:443/twilio/media", nil), socketPath, true},
		"a query that is not signed": {public, socketSig, socketPath + "?a=1", false},
		"a query that is":            {public, signed.Signature(token, "wss://mem.example.test/twilio/media?a=1", nil), socketPath + "?a=1", true},
		"plain":                      {"http://127.0.0.1:8787", signed.Signature(token, "ws://127.0.0.1:8787/twilio/media", nil), socketPath, true},
		"signed as plain":            {public, signed.Signature(token, "ws://mem.example.test/twilio/media", nil), socketPath, false},
		"no public URL":              {"", socketSig, socketPath, false},
	} {
		if got := twilio(t, c.public, "", token).Socket(c.sig, c.target); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestBodiesOfTelnyx(t *testing.T) {
	t.Parallel()
	at := time.Unix(telnyxTime, 0)
	stamp := strconv.Itoa(telnyxTime)
	second := ed25519.NewKeyFromSeed([]byte(strings.Repeat("\x08", 32)))
	both := []string{base64.StdEncoding.EncodeToString(second.Public().(ed25519.PublicKey)), telnyxKey}
	sign := func(stamp string) string {
		key := ed25519.NewKeyFromSeed([]byte(strings.Repeat("\x07", 32)))
		return base64.StdEncoding.EncodeToString(ed25519.Sign(key, []byte(stamp+"|"+telnyxBody)))
	}
	for name, c := range map[string]struct {
		keys             []string
		sig, stamp, body string
		now              time.Time
		want             bool
	}{
		"the vector":                  {[]string{telnyxKey}, telnyxSig, stamp, telnyxBody, at, true},
		"an older key":                {both, telnyxSig, stamp, telnyxBody, at, true},
		"another key":                 {both[:1], telnyxSig, stamp, telnyxBody, at, false},
		"no key":                      {nil, telnyxSig, stamp, telnyxBody, at, false},
		"another body":                {both, telnyxSig, stamp, telnyxBody + "\n", at, false},
		"another time":                {both, telnyxSig, strconv.Itoa(telnyxTime + 1), telnyxBody, at, false},
		"as old as may be":            {both, telnyxSig, stamp, telnyxBody, at.Add(signed.Window), true},
		"too old":                     {both, telnyxSig, stamp, telnyxBody, at.Add(signed.Window + time.Second), false},
		"as far ahead as may be":      {both, telnyxSig, stamp, telnyxBody, at.Add(-signed.Window), true},
		"too far ahead":               {both, telnyxSig, stamp, telnyxBody, at.Add(-signed.Window - time.Second), false},
		"no time":                     {both, sign(""), "", telnyxBody, at, false},
		"a time with a sign":          {both, sign("+" + stamp), "+" + stamp, telnyxBody, at, false},
		"a time that is no number":    {both, sign("1e9"), "1e9", telnyxBody, at, false},
		"a time beyond all numbers":   {both, sign(strings.Repeat("9", 30)), strings.Repeat("9", 30), telnyxBody, at, false},
		"a signature that is cut":     {both, telnyxSig[:44], stamp, telnyxBody, at, false},
		"a signature that is no text": {both, "%%", stamp, telnyxBody, at, false},
	} {
		tx, err := signed.NewTelnyx(c.keys...)
		if err != nil {
			t.Fatal(err)
		}
		if got := tx.Valid(c.sig, c.stamp, []byte(c.body), c.now); got != c.want || tx.Ready() != (len(c.keys) > 0) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
	for _, key := range []string{"", "x", telnyxKey[:40], telnyxKey + telnyxKey} {
		if _, err := signed.NewTelnyx(key); err == nil {
			t.Errorf("a key of %d characters was taken", len(key))
		}
	}
}

// Nothing that is made up is taken for the platform's, and nothing panics.
func FuzzTwilio(f *testing.F) {
	f.Add(formSig, formTarget, form().Encode())
	f.Add(jsonSig, jsonTarget, jsonBody)
	f.Add(socketSig, socketPath+"/#rc=2", "")
	tw, err := signed.NewTwilio(public, "rc=2", token)
	if err != nil {
		f.Fatal(err)
	}
	known := map[string]bool{formSig: true, jsonSig: true, socketSig: true}
	f.Fuzz(func(t *testing.T, sig, target, body string) {
		values, err := url.ParseQuery(body)
		if err != nil {
			return
		}
		taken := tw.Form(sig, target, values) || tw.JSON(sig, target, []byte(body)) || tw.Socket(sig, target)
		if taken && !known[sig] {
			t.Errorf("%q was taken for a signature", sig)
		}
		if !tw.Form(signed.Signature(token, public+strings.SplitN(target, "#", 2)[0], values), target, values) {
			t.Errorf("what Twilio signs for %q is refused", target)
		}
	})
}

func FuzzTelnyx(f *testing.F) {
	f.Add(telnyxSig, strconv.Itoa(telnyxTime), []byte(telnyxBody))
	f.Add("", "-1", []byte{})
	tx, err := signed.NewTelnyx(telnyxKey)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, sig, stamp string, body []byte) {
		if tx.Valid(sig, stamp, body, time.Unix(telnyxTime, 0)) && (sig != telnyxSig || string(body) != telnyxBody) {
			t.Errorf("%q was taken for a signature", sig)
		}
	})
}
