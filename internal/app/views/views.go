// Package views registers all views of the feed of changes that a process has. The product and its tests share it, and
// no view is registered elsewhere.
//
// It is not for what a view does (its package), nor for the order in which they are told (feed).
package views

import (
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/events"
	"github.com/recallerhq/recaller/internal/feed"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/refresh"
)

// All are the views of a process. All fields are required.
type All struct {
	Recall        *recall.Service
	Memories      *memory.Service
	Conversations *conversation.Service
	Events        *events.Bus
	Refresh       *refresh.Service
}

// Register registers the views with the feed. Call it before the feed is told anything.
func (v All) Register(f *feed.Feed) {
	f.Register(feed.Reading, "recall", v.Recall)
	f.Register(feed.Reading, "memories", v.Memories)
	f.Register(feed.Reading, "conversations", feed.Func(v.Conversations.Stored))
	f.Register(feed.Listening, "events", v.Events)
	f.Register(feed.Deriving, "refresh", v.Refresh)
}

// What the feed tells a view beside committed changes.
var (
	_ feed.Rereader = (*recall.Service)(nil)
	_ feed.Holder   = (*recall.Service)(nil)
	_ feed.Dropper  = (*recall.Service)(nil)
	_ feed.Dropper  = (*memory.Service)(nil)
	_ feed.Dropper  = (*events.Bus)(nil)
)
