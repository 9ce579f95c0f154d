package arch

// module is the path that all our imports begin with.
const module = "github.com/recallerhq/recaller"

// A layer is a set of packages with the same rights. Names are paths under internal/, unless they begin with "/", which
// stands for the project's root; "x/..." is x and all below it. Packages that are not written yet may stand here.
type layer struct {
	name     string
	packages []string
	may      []string // names of layers that it may import; every layer may import package recaller, the centre
	own      bool     // its packages may import one another
	pure     bool     // no clock, no randomness, no I/O: the same answer for the same question
}

// layers is the picture in the design, from the middle outward. Imports point to the middle only.
func layers() []layer {
	return []layer{
		{name: "centre", packages: []string{"/"}, pure: true},
		{name: "rules", pure: true, packages: []string{
			"speech", "when", "repeat", "identity", "transcript", "recall/token", "recall/kind", "recall/index", "livebuffer",
			"wrapup/reading", "wrapup/quote", "wrapup/summary", "wrapup/label", "wrapup/name", "wrapup/extract", "wrapup/unfinished", "wrapup/answer", "wrapup/evidence",
			"errand/quiet", "errand/steps", "errand/wording", "agreement", "pin", "visitor", "guard", "prompt", "sms", "realtime", "mediastream", "utterance", "fence", "forgotten", "tag", "memory/likeness", "memory/decide", "search/stems", "search/asked", "search/rank", "embed/static", "embed/dialogue", "vector",
		}},
		{name: "use cases", may: []string{"rules"}, packages: []string{
			"conversation", "thread", "briefing", "memory", "recall", "document", "wrapup", "privacy", "tenant", "caller",
			"events", "refresh", "feed", "tool", "reminder", "errand", "notify", "search", "exam", "agent", "exchange", "texting",
		}},
		{name: "material", packages: []string{"/demo"}, pure: true},
		{name: "platform", own: true, packages: []string{"config/...", "obs/..."}},
		{name: "tests' databases", packages: []string{"pgtest"}},
		{name: "files", packages: []string{"durable"}},
		{name: "keys", may: []string{"files"}, packages: []string{"vault/..."}, own: true},
		{name: "store", may: []string{"files", "keys", "tests' databases"}, packages: []string{"store/..."}, own: true},
		{name: "endpoints", packages: []string{"endpoint/..."}},
		{name: "edges out", may: []string{"files", "keys", "endpoints"}, packages: []string{"archive", "audio", "jobs", "llm/...", "embed/...", "webhook/...", "remem", "oauth", "carrier/..."}},
		// What telephony hands a call to. It is apart from the edges in, for those do not use one another.
		{name: "bridge", own: true, may: []string{"rules", "use cases"}, packages: []string{"bridge/...", "ears", "rehearsal"}},
		{name: "admission", packages: []string{"admission"}},
		{name: "HTTP", may: []string{"admission", "client"}, packages: []string{"httpdoor"}},
		{name: "edges in", may: []string{"admission", "HTTP", "use cases", "rules", "client"}, packages: []string{
			"httpapi/...", "mcpserver/...", "chatproxy/...", "telephony/...", "relay/...", "webchat/...", "platform/...", "telegram/...", "console/...",
		}},
		// The client is also the one definition of what goes over the wire, so the server builds on its types.
		{name: "client", packages: []string{"/client/..."}},
		{name: "wiring", packages: []string{"app/...", "backup"}, own: true, may: []string{
			"rules", "use cases", "platform", "files", "keys", "store", "endpoints", "edges out", "admission", "edges in", "bridge",
		}},
		{name: "measuring", packages: []string{"eval"}, may: []string{"rules", "use cases"}},
		{name: "command line", packages: []string{"cli/..."}, own: true, may: []string{
			"rules", "use cases", "platform", "keys", "client", "wiring", "material", "measuring",
		}},
		{name: "main", packages: []string{"/cmd/..."}, may: []string{"command line"}},
		{name: "arch", packages: []string{"arch"}},
		// Measuring and proving: they drive everything and nothing depends on them.
		{name: "tools", own: true, packages: []string{
			"/tools/...", "/testscript/...", "/e2e/...", "e2e/...", "wrapup/highlights", "usecasetest", "disktest", "worktest", "devdata", "scenes",
		}, may: []string{
			"rules", "use cases", "platform", "files", "keys", "store", "edges out", "wiring",
		}},
	}
}

// edges are the imports inside a layer, and the few past its rights, that the design allows: importer to imported.
// Use cases use one another in one direction only. What nothing uses any more is taken out; the test says so.
func edges() map[string][]string {
	return map[string][]string{
		"livebuffer":     {"when"},
		"forgotten":      {"embed/static", "memory/likeness", "pin", "recall/token", "speech", "wrapup/name"},
		"recall/index":   {"recall/token", "recall/kind", "when", "embed/static", "vector", "forgotten", "speech"},
		"embed/static":   {"recall/token", "vector"},
		"embed/dialogue": {"recall/token", "vector"},
		"errand/steps":   {"errand/quiet", "identity"},
		"errand/wording": {"recall/token", "when"},
		"when":           {"speech"},
		"repeat":         {"when"},
		"guard":          {"speech", "recall/token"},
		"sms":            {"speech"},
		"agreement":      {"speech", "when", "wrapup/reading", "wrapup/quote"},
		"pin":            {"embed/static", "recall/token", "speech", "wrapup/name", "wrapup/quote", "wrapup/reading", "wrapup/summary"},
		"wrapup/reading": {"speech", "when"},
		"wrapup/quote":   {"speech", "when", "wrapup/reading"},
		"wrapup/summary": {"agreement", "recall/token", "speech", "when", "wrapup/quote", "wrapup/reading"},
		"wrapup/label":   {"recall/token", "speech"},
		"wrapup/name":    {"speech"},
		"wrapup/answer":  {"speech"},
		"wrapup/extract": {"recall/token", "speech", "wrapup/quote", "wrapup/reading"},
		"wrapup/unfinished": {
			"agreement", "forgotten", "memory/decide", "recall/token", "speech", "when", "wrapup/extract", "wrapup/label", "wrapup/name", "wrapup/quote",
			"wrapup/reading", "wrapup/summary",
		},
		"memory/likeness": {"recall/token"},
		"search":          {"search/stems"},
		"search/asked":    {"recall/token", "when"},
		"search/rank":     {"recall/token", "embed/static", "vector"},
		"search/stems":    {"recall/token"},
		"wrapup/evidence": {"recall/token", "speech", "wrapup/answer", "wrapup/reading", "when", "fence"},

		"conversation": {"briefing"},
		"briefing":     {"recall"},
		"wrapup":       {"exam"},
		"tool":         {"memory", "recall"},
		"thread":       {"briefing", "conversation", "memory", "tool"},
		"refresh":      {"briefing", "events"},
		"reminder":     {"notify"}, // how deliveries are counted
		"agent":        {"briefing", "memory", "tool"},
		"exchange":     {"agent", "briefing", "conversation", "thread"},
		"texting":      {"agent", "conversation", "exchange"},
		"telephony":    {"telephony/signed"},
		"relay":        {"telephony"}, // whose socket it is

		"rehearsal": {"telephony/signed"}, // it signs as a platform does

		"embed": {"embed/static"},

		"carrier/carriertest": {"carrier"},

		"store":        {"memory/decide"}, // the rules of memory, which it carries out
		"store/sqlite": {"vector"},

		"cli": {"llm", "embed", "rehearsal"}, // a terminal call may let a model speak for the agent, or play both sides; the doctor tries models
	}
}
