package mcpserver

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addPrompts adds the three parts of H's protocol, each as a prompt to put in front of an agent.
func addPrompts(to *mcp.Server) {
	for _, p := range []struct{ name, title, about, text string }{
		{"handshake", "Begin: look for an unfinished matter", "What an agent does when a call begins.", handshakeText},
		{"checkpoint", "During the call: save progress", "What an agent does whenever it learns something.", checkpointText},
		{"clearing", "When it is done: clear the saved state", "What an agent does once the matter is settled.", clearingText},
	} {
		to.AddPrompt(&mcp.Prompt{
			Name: p.name, Title: p.title, Description: p.about,
			Arguments: []*mcp.PromptArgument{{
				Name: argPhone, Title: "The caller's number", Description: "The number that the call comes from, if it is known already.",
			}},
		}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			text := p.text
			if number := inLine(req.Params.Arguments[argPhone]); number != "" {
				text = "The caller's phone number is " + number + ".\n\n" + text
			}
			return &mcp.GetPromptResult{
				Description: p.about,
				Messages:    []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}},
			}, nil
		})
	}
}

// maxNumber bounds what stands for a number in a prompt: a number or an id, and never a sentence.
const maxNumber = 64

// inLine returns what was given for a number, if it may stand in a line.
func inLine(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > maxNumber || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' }) {
		return ""
	}
	return s
}
