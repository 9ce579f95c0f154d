package telephony

import (
	"cmp"
	"encoding/xml"
	"strings"

	"github.com/recallerhq/recaller"
)

// twiml is what a platform is to do with a call: Twilio's TwiML, which Telnyx reads as TeXML.
type twiml struct {
	XMLName xml.Name `xml:"Response"`
	Verbs   []any
}

type say struct {
	XMLName  xml.Name `xml:"Say"`
	Voice    string   `xml:"voice,attr,omitempty"`
	Language string   `xml:"language,attr,omitempty"`
	Text     string   `xml:",chardata"`
}

type hangup struct {
	XMLName xml.Name `xml:"Hangup"`
}

type dial struct {
	XMLName        xml.Name `xml:"Dial"`
	Action         string   `xml:"action,attr"`
	Method         string   `xml:"method,attr"`
	AnswerOnBridge bool     `xml:"answerOnBridge,attr"` // the caller hears it ring until there is an answer
	Number         string   `xml:"Number,omitempty"`
	SIP            string   `xml:"Sip,omitempty"`
}

type connect struct {
	XMLName xml.Name `xml:"Connect"`
	Action  string   `xml:"action,attr"`
	Method  string   `xml:"method,attr"`
	Relay   *relay   `xml:"ConversationRelay"`
	Stream  *stream  `xml:"Stream"`
}

type relay struct {
	URL        string      `xml:"url,attr"`
	Welcome    string      `xml:"welcomeGreeting,attr,omitempty"`
	Language   string      `xml:"language,attr,omitempty"`
	Voice      string      `xml:"voice,attr,omitempty"`
	Parameters []parameter `xml:"Parameter"`
}

type stream struct {
	URL        string      `xml:"url,attr"`
	Track      string      `xml:"track,attr,omitempty"`
	Mode       string      `xml:"bidirectionalMode,attr,omitempty"` // Telnyx's, as the next one is: it would want MP3
	Codec      string      `xml:"bidirectionalCodec,attr,omitempty"`
	Parameters []parameter `xml:"Parameter"`
}

// start begins a stream beside what is done next: it is listened to, and no more.
type start struct {
	XMLName xml.Name `xml:"Start"`
	Stream  stream   `xml:"Stream"`
}

type parameter struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

// How Telnyx is to take sound: as telephones have it, in pieces.
const (
	streamMode  = "rtp"
	streamCodec = "PCMU"
)

// TokenParameter is the name of the parameter in which a socket brings its token.
const TokenParameter = "token"

// write spells it.
func (t twiml) write() ([]byte, error) {
	body, err := xml.Marshal(t)
	if err != nil {
		return nil, recaller.Wrap(recaller.Internal, err, "write the answer to a call")
	}
	return append([]byte(xml.Header), body...), nil
}

// spoken says a text of the tenant's own, and hangs up.
func spoken(p recaller.Telephone, text string) twiml {
	return twiml{Verbs: []any{say{Voice: p.Voice, Language: p.Language, Text: text}, hangup{}}}
}

// told says a sentence of ours, and hangs up. It is in the tenant's language if we speak that.
func told(p recaller.Telephone, s sentence) twiml {
	text, language := s.in(p.Language)
	out := say{Language: language, Text: text}
	if strings.EqualFold(language, p.Language) {
		out.Voice = p.Voice
	}
	return twiml{Verbs: []any{out, hangup{}}}
}

// greeting is what a tenant has said first; empty: nothing.
func greeting(t recaller.Tenant) string { return cmp.Or(t.Telephone.Greeting, t.Profile.Greeting) }

// greeted answers with the tenant's greeting, or with what there is to say where he has none.
func greeted(t recaller.Tenant) twiml {
	if text := greeting(t); text != "" {
		return spoken(t.Telephone, text)
	}
	return told(t.Telephone, nobodyHere)
}

// forwarded answers by having the call go on elsewhere. With a token both sides are streamed to us meanwhile.
func (s *Server) forwarded(t recaller.Tenant, token string) twiml {
	d := dial{Action: s.address(EndedPath + "?" + afterParameter + "=" + afterDial), Method: "POST", AnswerOnBridge: true}
	if to := t.Telephone.ForwardTo; strings.HasPrefix(to, "+") {
		d.Number = to
	} else {
		d.SIP = to
	}
	if token == "" {
		return twiml{Verbs: []any{d}}
	}
	listens := stream{URL: s.socket(ListenPath), Track: "both_tracks", Parameters: []parameter{{TokenParameter, token}}}
	return twiml{Verbs: []any{start{Stream: listens}, d}}
}

// connected answers by having the call go on over a socket.
func (s *Server) connected(t recaller.Tenant, of call, token string) twiml {
	c := connect{Action: s.address(EndedPath + "?" + afterParameter + "=" + afterSocket), Method: "POST"}
	with := []parameter{{TokenParameter, token}}
	if t.Telephone.Answer == recaller.AnswerRelay {
		c.Relay = &relay{
			URL: s.socket(RelayPath), Welcome: greeting(t), Language: t.Telephone.Language, Voice: t.Telephone.Voice, Parameters: with,
		}
	} else {
		c.Stream = &stream{URL: s.socket(MediaPath), Parameters: with}
		if of.ids[string(telnyx)] != "" {
			c.Stream.Mode, c.Stream.Codec = streamMode, streamCodec
		}
	}
	return twiml{Verbs: []any{c}}
}

// address is ours as the platform calls it. Without a public URL it is relative: to the address of the webhook.
func (s *Server) address(target string) string { return s.opts.PublicURL + target }

func (s *Server) socket(path string) string {
	scheme, rest, _ := strings.Cut(s.opts.PublicURL, "://")
	if scheme == "http" {
		return "ws://" + rest + path
	}
	return "wss://" + rest + path
}
