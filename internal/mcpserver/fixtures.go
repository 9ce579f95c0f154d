//go:build mcpfixtures

package mcpserver

import "github.com/modelcontextprotocol/go-sdk/mcp"

// This file, and the SDK's own conformance server, which tools/mcp lays beside it (registerTools and the like), make the
// build that the whole conformance suite runs on: its fixtures on our handler.

// plain: the suite's tools report progress, and write logs, before they answer.
const plain = false

func options() mcp.ServerOptions {
	return mcp.ServerOptions{
		CompletionHandler: completionHandler, SubscribeHandler: subscribeHandler, UnsubscribeHandler: unsubscribeHandler,
	}
}

func fixtures(to *mcp.Server) {
	registerTools(to)
	registerResources(to)
	registerPrompts(to)
}
