package briefing

import (
	"slices"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
)

// ofTier composes a briefing for a conversation of a tier, with the rights that the tenant gives it.
func ofTier(snap recaller.Snapshot, trust recaller.Trust, rights recaller.Rights) recaller.Briefing {
	snap.Tenant.Trust = map[recaller.Trust]recaller.Rights{trust: rights}
	req := Request{Trust: trust}
	told := req.told(snap)
	told.withhold(&snap, nil)
	return compose(material{snap: snap, told: told}, now, req, newZones())
}

// confiding is one who asked to keep something between the two.
func confiding() recaller.Snapshot {
	snap := returning()
	snap.Memories = slices.Clone(snap.Memories)
	snap.Memories[0].PrivacyScope = recaller.Private
	snap.Private = snap.Memories[:1:1]
	return snap
}

// What the line on trust says at each tier, and what it costs: 34 to 52 tokens when this was written, and none where nothing is kept back.
func TestABriefingSaysThatSomethingIsKeptBack(t *testing.T) {
	for _, tt := range []struct {
		name   string
		trust  recaller.Trust
		rights recaller.Rights
	}{
		{"trust, a number", recaller.TrustClaimed, recaller.Rights{}},
		{"trust, attested", recaller.TrustAttested, recaller.Rights{}},
		{"trust, name only", recaller.TrustClaimed, recaller.Rights{Tell: recaller.TellName}},
		{"trust, nothing told", recaller.TrustClaimed, recaller.Rights{Tell: recaller.TellNothing}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := ofTier(confiding(), tt.trust, tt.rights)
			golden(t, tt.name, b)
			part := partNamed(t, b, "trust")
			if t.Logf("%d tokens", part.Tokens); part.Tokens > 60 {
				t.Errorf("it takes %d tokens", part.Tokens)
			}
		})
	}
	for _, b := range []recaller.Briefing{
		ofTier(confiding(), recaller.TrustVerified, recaller.Rights{}), ofTier(returning(), recaller.TrustClaimed, recaller.Rights{}),
	} {
		if slices.ContainsFunc(b.Parts, func(p recaller.BriefingPart) bool { return p.Name == "trust" }) {
			t.Errorf("it says that something is kept back:\n%s", b.Text)
		}
	}
}

// A briefing names no tool that is refused at the conversation's tier, in our words or the tenant's.
func TestABriefingNamesNoToolThatIsRefused(t *testing.T) {
	own := withTools(returning())
	own.Tenant.Prompts = map[string]string{"memory": "Use store_memory for bookings; forget_memory never.\nIf asked, forget_memory.\n"}
	for _, snap := range []recaller.Snapshot{withTools(returning()), own} {
		for _, may := range recaller.Allowings() {
			text := ofTier(snap, recaller.TrustClaimed, recaller.Rights{Tools: may}).Text
			for _, tool := range recaller.Tools() {
				if named := strings.Contains(text, string(tool)); named && !(recaller.Rights{Tools: may}).Allows(tool) {
					t.Errorf("tools %s: %s is named in\n%s", may, tool, text)
				}
			}
			if may == recaller.AllowWrite && !strings.Contains(text, "store_memory") {
				t.Errorf("what is allowed is not named in\n%s", text)
			}
		}
	}
	text := ofTier(withTools(returning()), recaller.TrustClaimed, recaller.Rights{Tools: recaller.AllowWrite}).Text
	has(t, text, []string{"\n- mark_private, when asked to keep it between you.\n"}, nil)
}
