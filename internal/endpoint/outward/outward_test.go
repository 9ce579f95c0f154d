package outward

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// allowing lists networks and hosts.
func allowing(entries ...string) Allowed {
	var a Allowed
	for _, e := range entries {
		if p, err := netip.ParsePrefix(e); err == nil {
			a.Networks = append(a.Networks, p)
		} else {
			a.Hosts = append(a.Hosts, e)
		}
	}
	return a
}

func TestWhichAddressesArePublic(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]bool{
		"1.1.1.1 8.8.8.8 93.184.216.34 172.32.0.1 100.128.0.1 169.253.0.1 192.169.0.1 2606:4700::1111 64:ff9b::808:808": true,
		"127.0.0.1 127.255.0.9 0.0.0.0 0.1.2.3 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254":          false,
		"100.64.0.1 100.100.100.200 192.0.0.192 168.63.129.16 198.18.0.1 224.0.0.1 239.1.1.1 255.255.255.255 240.0.0.1": false,
		":: ::1 ::ffff:127.0.0.1 ::ffff:169.254.169.254 ::127.0.0.1 fe80::1 fe80::1%eth0 fec0::1 fc00::1 fd00:ec2::254": false,
		"64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 2002:7f00:1::1 2002:a9fe:a9fe:: 2001:0:1:2::3 2001:db8::1":     false,
		"ff02::1 ff0e::1 100::1 5f00::1 4000::1 3fff::1 ::ffff:0:10.0.0.1":                                              false,
	} {
		for _, s := range strings.Fields(list) {
			if got := (Allowed{}).address(netip.MustParseAddr(s)); got != want {
				t.Errorf("%s: got public %v, want %v", s, got, want)
			}
		}
	}
}

// A receiver of this machine, by every way of writing its address.
func TestTheInsideIsReachedOnlyWhereItIsListed(t *testing.T) {
	// Not parallel: the environment names a proxy.
	asked := 0
	inner := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer inner.Close()
	t.Setenv("HTTP_PROXY", inner.URL)
	t.Setenv("ALL_PROXY", inner.URL)
	u, err := url.Parse(inner.URL)
	if err != nil {
		t.Fatal(err)
	}
	get := func(a Allowed, host string) error {
		client := &http.Client{Transport: Transport(a)}
		defer client.CloseIdleConnections()
		res, err := client.Get("http://" + net.JoinHostPort(host, u.Port()) + "/hook")
		if err == nil {
			res.Body.Close()
		}
		return err
	}
	for _, host := range []string{
		"127.0.0.1", "localhost", "LOCALHOST", "localhost.", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1", "127.1", "2130706433", "0x7f000001",
	} {
		if get(Allowed{}, host) == nil || asked > 0 {
			t.Fatalf("%s was reached", host)
		}
	}
	if err := get(Allowed{}, "127.0.0.1"); !errors.Is(err, ErrInner) {
		t.Errorf("got %v, want %v", err, ErrInner)
	}
	for entry, host := range map[string]string{"127.0.0.0/8": "127.0.0.1", "127.0.0.1/32": "127.0.0.1", "localhost": "LocalHost"} {
		if err := get(allowing(entry), host); err != nil {
			t.Errorf("%s with %s listed: %v", host, entry, err)
		}
	}
	if asked != 3 {
		t.Errorf("the receiver was asked %d times, want 3", asked)
	}
	if err := get(allowing("10.0.0.0/8", "elsewhere.example"), "127.0.0.1"); !errors.Is(err, ErrInner) {
		t.Errorf("with another network listed: got %v, want %v", err, ErrInner)
	}
}

func TestWhatShowsBeforeANameIsResolved(t *testing.T) {
	t.Parallel()
	listed := allowing("127.0.0.1/32", "db.internal")
	for host, want := range map[string][2]bool{ // nothing listed, listed
		"example.com": {true, true}, "db.internal": {true, true}, "localhost": {false, true}, "a.localhost": {false, true},
		"127.0.0.1": {false, true}, "::1": {false, false}, "169.254.169.254": {false, false}, "10.0.0.1": {false, false},
	} {
		if got := [2]bool{(Allowed{}).Host(host), listed.Host(host)}; got != want {
			t.Errorf("%s: got %v, want %v", host, got, want)
		}
	}
}
