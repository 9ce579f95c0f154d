package tool

import (
	"context"

	"github.com/recallerhq/recaller"
)

// Speakers has a conversation go on as somebody else's; *conversation.Service does.
type Speakers interface {
	SomeoneElse(
		ctx context.Context, tenant recaller.TenantID, ref string, in recaller.Speaking,
	) (recaller.Handed, error)
}

// someoneElse carries out someone_else (B1). Its record stands with who speaks now.
func (s *Service) someoneElse(ctx context.Context, x exchange) (res Result, err error) {
	if x.call.Outside {
		return res, recaller.InvalidField("callSessionId", "is required: somebody else speaks in a conversation")
	}
	in := recaller.Speaking{}
	if in.Name, err = x.args.Text("name"); err != nil {
		return res, err
	}
	if in.Recycled, err = x.args.truth("recycled"); err != nil {
		return res, err
	}
	out, err := s.Speakers.SomeoneElse(ctx, x.call.Tenant, string(x.conv.ID), in)
	if err != nil {
		return res, err
	}
	x.conv = out.Conversation
	if res = (Result{Done: recaller.ToolHanded, Message: handed(out)}); len(out.Changes) == 0 {
		res.Done = recaller.ToolSame
	}
	return res, s.note(ctx, x, res.Done)
}

// handed tells the model with whom it speaks now.
func handed(out recaller.Handed) string {
	who := "You speak with somebody else now, whose name is not known."
	if out.Caller.Name != "" {
		who = "You speak with " + out.Caller.Name + " now."
	}
	switch {
	case len(out.Changes) == 0:
		return "You speak with the same person as before: go on."
	case out.Caller.Conversations == 0:
		return who + " Nothing is known of them yet. What you were told before is of another person: do not tell it."
	}
	return who + " They were here before: use recall to find what was said. What you were told before is of another person: do not tell it."
}
