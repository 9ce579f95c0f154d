//go:build !mcpfixtures

package mcpserver

import "github.com/modelcontextprotocol/go-sdk/mcp"

// plain: an answer is one JSON value, for nothing is said before it.
const plain = true

// options: the lists never change while the server runs, and it sends nothing of its own accord.
func options() mcp.ServerOptions {
	return mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{
		Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}, Prompts: &mcp.PromptCapabilities{},
	}}
}

// fixtures adds what the conformance suite looks for, in a build of its own (fixtures.go): nothing here.
func fixtures(*mcp.Server) {}
