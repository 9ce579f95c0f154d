package carrier

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/recallerhq/recaller"
)

// seen is a call, or a text, as Twilio tells of it.
type seen struct {
	SID       string `json:"sid"`
	Status    string `json:"status"`
	CreatedAt string `json:"date_created"`
}

// looked is how many of the newest are looked at.
const looked = 50

// Calls returns the calls from a number to another that were made since a time, the newest first. Twilio makes a call each
// time that it is asked to, so whoever does not know whether it was asked looks before asking again. Errors are those of
// Text, but for Timeout.
func (c *Client) Calls(ctx context.Context, from, to string, since time.Time) ([]recaller.PhoneCall, error) {
	return c.between(ctx, "Calls", from, to, since)
}

// Sent is Calls for texts.
func (c *Client) Sent(ctx context.Context, from, to string, since time.Time) ([]recaller.PhoneCall, error) {
	return c.between(ctx, "Messages", from, to, since)
}

// Call returns how a call stands.
func (c *Client) Call(ctx context.Context, id string) (recaller.PhoneCall, error) {
	var s seen
	err := c.look(ctx, "Calls/"+url.PathEscape(id)+".json", &s)
	return s.call(), err
}

func (c *Client) between(ctx context.Context, what, from, to string, since time.Time) (out []recaller.PhoneCall, err error) {
	var page struct {
		Calls    []seen `json:"calls"`
		Messages []seen `json:"messages"`
	}
	query := url.Values{"From": {from}, "To": {to}, "PageSize": {strconv.Itoa(looked)}}
	if err := c.look(ctx, what+".json?"+query.Encode(), &page); err != nil {
		return nil, err
	}
	for _, s := range append(page.Calls, page.Messages...) {
		if one := s.call(); !one.At.Before(since.Truncate(time.Second)) { // its times are whole seconds
			out = append(out, one)
		}
	}
	slices.SortStableFunc(out, func(a, b recaller.PhoneCall) int { return b.At.Compare(a.At) })
	return out, nil
}

func (s seen) call() recaller.PhoneCall {
	at, _ := time.Parse(time.RFC1123Z, s.CreatedAt) // of one that cannot be read it is not known that it is newer
	return recaller.PhoneCall{ID: s.SID, Status: s.Status, At: at}
}

// look reads something of the account's.
func (c *Client) look(ctx context.Context, what string, out any) (err error) {
	if !slices.Contains(c.Rings(), recaller.CarrierTwilio) {
		return noKeys(recaller.CarrierTwilio)
	}
	address := c.s.TwilioURL + "/2010-04-01/Accounts/" + url.PathEscape(c.s.TwilioAccount) + "/" + what
	for _, token := range c.s.TwilioTokens {
		req, bad := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if bad != nil {
			return recaller.Errorf(recaller.NotFound, "the address of twilio is not usable")
		}
		req.SetBasicAuth(c.s.TwilioAccount, token)
		if err = c.send(recaller.CarrierTwilio, req, out, twilioCode); recaller.KindOf(err) != recaller.Unauthenticated {
			break
		}
	}
	if recaller.KindOf(err) == recaller.Timeout { // nothing is made by looking
		err = recaller.Errorf(recaller.Unavailable, "twilio did not answer")
	}
	return err
}
