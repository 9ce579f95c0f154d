package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/recallerhq/recaller"
)

// Tenant is one business or person that runs an agent, with its settings.
type Tenant struct {
	ID                  string             `json:"id" doc:"Its id." example:"default"`
	Name                string             `json:"name" doc:"Its name." example:"Lakeside Dental"`
	Environment         string             `json:"environment" enum:"production,demo" doc:"production, or demo for trials." example:"production"`
	Profile             Profile            `json:"profile" doc:"What it says of itself in a briefing."`
	Numbers             []string           `json:"numbers" nullable:"false" doc:"The numbers that reach its agent, in E.164 form."`
	DefaultRegion       string             `json:"default_region" doc:"The country under which national numbers are read: two letters (ISO 3166)." example:"DE"`
	TimeZone            string             `json:"time_zone" doc:"The IANA time zone of callers whose own is not known." example:"Europe/Berlin"`
	Retention           recaller.Retention `json:"retention" enum:"ephemeral,archive,keep" doc:"What is kept of raw words: nothing on disk, a sealed file for some days, or sealed turns until erased." example:"keep"`
	DocumentArchiveDays int                `json:"document_archive_days" doc:"After how many days documents of conversations are archived: briefings tell nothing of such a conversation, searches find it on request; 0: never." example:"365"`
	ArchiveDays         int                `json:"archive_days" doc:"How many days an archive file is kept." example:"7"`
	ResumeWindowSeconds float64            `json:"resume_window_seconds" doc:"How long an unfinished matter can be resumed." example:"259200"`
	IdleLimitSeconds    float64            `json:"idle_limit_seconds" doc:"A conversation with no turn for so long is closed." example:"1800"`
	HistoryLimit        int                `json:"history_limit" doc:"How many past conversations a briefing shows." example:"3"`
	PinAfter            int                `json:"pin_after" doc:"In how many conversations a topic comes up before it is pinned; 0: never." example:"3"`
	Packs               []string           `json:"packs" nullable:"false" doc:"The keyword packs by which conversations are labelled, in order of precedence."`
	OwnPacks            []string           `json:"own_packs" nullable:"false" doc:"The keyword packs that the tenant brought itself; see /v1/packs."`
	Masking             recaller.Masking   `json:"masking" enum:"on,off" doc:"Whether card numbers, national ids and passwords are masked before anything is stored." example:"on"`
	MemoryTools         bool               `json:"memory_tools" doc:"Your own agent, or a realtime model that answers calls, has the memory tools: its briefing says how to use them. The built-in agent always has them." example:"false"`
	Prompts             map[string]string  `json:"prompts" doc:"The tenant's own texts for models, by the prompt's name; where there is none, ours is in effect."`
	Texting             Texting            `json:"texting" doc:"What is done about texts to its numbers."`
	Telephone           Telephone          `json:"telephone" doc:"How calls to its numbers are answered."`
	WebChat             WebChat            `json:"web_chat" doc:"How visitors of its pages chat."`
	Outbound            Outbound           `json:"outbound" doc:"How its callers are reached about reminders that come due."`
	Trust               TrustRights        `json:"trust" doc:"What agents may, by how sure it is who the caller of a conversation is."`
	CreatedAt           time.Time          `json:"created_at" doc:"When it was made." example:"2026-01-05T08:00:00Z"`
	Unreadable          bool               `json:"unreadable,omitempty" doc:"In a list: its settings cannot be read, because its key is missing or they are damaged; its calls are not served until that is put back." example:"false"`
}

// Profile is what a briefing tells of the tenant, in its own words.
type Profile struct {
	Business     string   `json:"business,omitempty" doc:"Its name towards callers." example:"Lakeside Dental"`
	Description  string   `json:"description,omitempty" doc:"What it is." example:"a dental practice"`
	Location     string   `json:"location,omitempty" doc:"Where it is." example:"12 Lake Road"`
	Phone        string   `json:"phone,omitempty" doc:"The number it gives to callers." example:"+49 30 901820"`
	Hours        []Line   `json:"hours,omitempty" nullable:"false" doc:"Opening hours, in the order to show."`
	Pricing      []Line   `json:"pricing,omitempty" nullable:"false" doc:"Prices, in the order to show."`
	Services     []string `json:"services,omitempty" nullable:"false" doc:"What it offers."`
	Personality  string   `json:"personality,omitempty" doc:"How the agent is." example:"warm and brief"`
	Greeting     string   `json:"greeting,omitempty" doc:"How the agent greets." example:"Lakeside Dental, good morning!"`
	Instructions []string `json:"instructions,omitempty" nullable:"false" doc:"What the agent must do and must not do."`
}

// TrustRights say what agents may, by tier of trust.
type TrustRights struct {
	Anonymous Rights `json:"anonymous" doc:"Nobody is recognised; of such a caller nothing is known."`
	Claimed   Rights `json:"claimed" doc:"A number or an id was shown, and no more."`
	Attested  Rights `json:"attested" doc:"The network of telephones vouches for the number."`
	Verified  Rights `json:"verified" doc:"The application or the platform says who it is."`
}

// Rights are what an agent may in a conversation.
type Rights struct {
	Tell  recaller.Telling  `json:"tell" enum:"nothing,name,all_but_private,all" doc:"What it is told: nothing; name and number; everything but what was marked private; or all." example:"all_but_private"`
	Tools recaller.Allowing `json:"tools" enum:"none,recall,write,all" doc:"What the memory tools may do: nothing; look back; store and change too; forget and cancel too. They find no more than may be told." example:"all"`
}

// TrustPatch is what an update of the rights changes; nil fields stay.
type TrustPatch struct {
	Anonymous *RightsPatch `json:"anonymous,omitempty" doc:"Nobody is recognised."`
	Claimed   *RightsPatch `json:"claimed,omitempty" doc:"A number or an id was shown, and no more."`
	Attested  *RightsPatch `json:"attested,omitempty" doc:"The network of telephones vouches for the number."`
	Verified  *RightsPatch `json:"verified,omitempty" doc:"The application or the platform says who it is."`
}

// RightsPatch is what an update of rights changes; nil fields stay.
type RightsPatch struct {
	Tell  *recaller.Telling  `json:"tell,omitempty" enum:"nothing,name,all_but_private,all" doc:"What the agent is told; by default all_but_private, and all where it is verified." example:"name"`
	Tools *recaller.Allowing `json:"tools,omitempty" enum:"none,recall,write,all" doc:"What the memory tools may do; by default all." example:"recall"`
}

// Line is one labelled value. The order of lines matters.
type Line struct {
	Label string `json:"label" doc:"The label." example:"Monday"`
	Value string `json:"value" doc:"The value." example:"8am-5pm"`
}

// ProfilePatch is what an update of a profile changes; nil fields stay, empty ones are cleared.
type ProfilePatch struct {
	Business     *string   `json:"business,omitempty" doc:"Its name towards callers." example:"Lakeside Dental"`
	Description  *string   `json:"description,omitempty" doc:"What it is." example:"a dental practice"`
	Location     *string   `json:"location,omitempty" doc:"Where it is." example:"12 Lake Road"`
	Phone        *string   `json:"phone,omitempty" doc:"The number it gives to callers." example:"+49 30 901820"`
	Hours        *[]Line   `json:"hours,omitempty" nullable:"false" doc:"Opening hours, in the order to show."`
	Pricing      *[]Line   `json:"pricing,omitempty" nullable:"false" doc:"Prices, in the order to show."`
	Services     *[]string `json:"services,omitempty" nullable:"false" doc:"What it offers."`
	Personality  *string   `json:"personality,omitempty" doc:"How the agent is." example:"warm and brief"`
	Greeting     *string   `json:"greeting,omitempty" doc:"How the agent greets." example:"Lakeside Dental, good morning!"`
	Instructions *[]string `json:"instructions,omitempty" nullable:"false" doc:"What the agent must do and must not do."`
}

// TenantPatch is what an update of a tenant changes; nil fields stay.
type TenantPatch struct {
	Name *string `json:"name,omitempty" doc:"Its name, at most 200 bytes." example:"Lakeside Dental"`
	TenantSettings
}

// NewTenant is a tenant to make. Settings that are left out get their defaults.
type NewTenant struct {
	Name string `json:"name" doc:"Its name, at most 200 bytes." example:"Lakeside Dental"`
	TenantSettings
}

// TenantSettings are the settings that can be given at creation and changed later.
type TenantSettings struct {
	Environment         *string             `json:"environment,omitempty" enum:"production,demo" doc:"production (default), or demo for trials; fixed once there are callers." example:"production"`
	Profile             *ProfilePatch       `json:"profile,omitempty" doc:"What it says of itself in a briefing; fields that are left out stay."`
	Numbers             *[]string           `json:"numbers,omitempty" nullable:"false" doc:"The numbers that reach its agent, and no other tenant's; at most 1000."`
	DefaultRegion       *string             `json:"default_region,omitempty" doc:"The country under which national numbers are read: two letters (ISO 3166); US by default." example:"DE"`
	TimeZone            *string             `json:"time_zone,omitempty" doc:"The IANA time zone of callers whose own is not known; UTC by default." example:"Europe/Berlin"`
	Retention           *recaller.Retention `json:"retention,omitempty" enum:"ephemeral,archive,keep" doc:"What is kept of raw words; keep by default." example:"keep"`
	DocumentArchiveDays *int                `json:"document_archive_days,omitempty" minimum:"0" maximum:"36500" doc:"After how many days documents of conversations are archived: briefings tell nothing of such a conversation, searches find it on request; 0, the default: never." example:"365"`
	ArchiveDays         *int                `json:"archive_days,omitempty" minimum:"1" maximum:"3650" doc:"How many days an archive file is kept; 7 by default." example:"7"`
	ResumeWindowSeconds *float64            `json:"resume_window_seconds,omitempty" minimum:"60" maximum:"315360000" doc:"How long an unfinished matter can be resumed; 72 hours by default." example:"259200"`
	IdleLimitSeconds    *float64            `json:"idle_limit_seconds,omitempty" minimum:"60" maximum:"604800" doc:"A conversation with no turn for so long is closed; 30 minutes by default." example:"1800"`
	HistoryLimit        *int                `json:"history_limit,omitempty" minimum:"1" maximum:"20" doc:"How many past conversations a briefing shows; 3 by default." example:"3"`
	PinAfter            *int                `json:"pin_after,omitempty" minimum:"0" maximum:"16" doc:"In how many conversations a topic must come up before it is pinned; 3 by default, 0: no topic is, and pins are not kept up to date." example:"3"`
	Packs               *[]string           `json:"packs,omitempty" nullable:"false" doc:"Keyword packs, in order of precedence: service (the default), golf, and those of its own (/v1/packs)."`
	Masking             *recaller.Masking   `json:"masking,omitempty" enum:"on,off" doc:"Whether card numbers, national ids and passwords are masked before anything is stored; on by default." example:"on"`
	MemoryTools         *bool               `json:"memory_tools,omitempty" doc:"Your own agent, or a realtime model that answers calls, has the memory tools: its briefing is to say how to use them; false by default. The built-in agent always has them." example:"true"`
	Texting             *TextingPatch       `json:"texting,omitempty" doc:"What is done about texts to its numbers; fields that are left out stay."`
	Telephone           *TelephonePatch     `json:"telephone,omitempty" doc:"How calls to its numbers are answered; fields that are left out stay."`
	WebChat             *WebChatPatch       `json:"web_chat,omitempty" doc:"How visitors of its pages chat; fields that are left out stay."`
	Outbound            *OutboundPatch      `json:"outbound,omitempty" doc:"How its callers are reached about reminders that come due; fields that are left out stay."`
	Trust               *TrustPatch         `json:"trust,omitempty" doc:"What agents may, by how sure it is who the caller of a conversation is; what is left out stays."`
	Prompts             map[string]*string  `json:"prompts,omitempty" doc:"Own texts for models, by the prompt's name, at most 8000 bytes each; null or an empty text brings ours back, and those that are not named stay."`
}

// TenantList is a page of the tenants.
type TenantList struct {
	Tenants    []Tenant `json:"tenants" nullable:"false" doc:"The tenants, by age."`
	NextCursor string   `json:"next_cursor,omitempty" doc:"Asks for the next page; left out on the last." example:"MDE5OWI3"`
	Damaged    int      `json:"damaged,omitempty" doc:"How many stored rows of the list are damaged: they are left out, or marked unreadable. The log and recaller doctor name them; left out where there are none." example:"1"`
}

// NewTenantResponse is a tenant that was made, with its first key.
type NewTenantResponse struct {
	Tenant Tenant `json:"tenant" doc:"The tenant."`
	APIKey string `json:"api_key" doc:"Its first key, of scope admin. It is shown this once."`
}

// Tenant reads the settings of the key's tenant.
func (c *Client) Tenant(ctx context.Context) (Tenant, error) {
	var out Tenant
	return out, c.get(ctx, path("tenant"), nil, &out)
}

// UpdateTenant changes the settings of the key's tenant. It needs an admin key.
func (c *Client) UpdateTenant(ctx context.Context, p TenantPatch) (Tenant, error) {
	var out Tenant
	return out, c.do(ctx, request{method: http.MethodPatch, path: path("tenant"), body: p, out: &out})
}

// CreateTenant makes a tenant. It needs an admin key of the tenant default, and is never retried: a repeat would make
// another.
func (c *Client) CreateTenant(ctx context.Context, in NewTenant) (NewTenantResponse, error) {
	var out NewTenantResponse
	return out, c.do(ctx, request{method: http.MethodPost, path: path("tenants"), body: in, out: &out, once: true})
}

// Tenants lists the tenants of an environment, "production" or "demo"; empty: all. It asks for page after page. It needs
// an admin key of the tenant default.
func (c *Client) Tenants(ctx context.Context, environment string) ([]Tenant, error) {
	query := url.Values{"limit": {"200"}}
	if environment != "" {
		query.Set("environment", environment)
	}
	all := []Tenant{}
	for {
		var page TenantList
		if err := c.get(ctx, path("tenants"), query, &page); err != nil {
			return nil, err
		}
		if all = append(all, page.Tenants...); page.NextCursor == "" {
			return all, nil
		}
		query.Set("cursor", page.NextCursor)
	}
}
