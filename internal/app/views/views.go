// Package views says which views of the feed of changes a process has, for the product and for its tests: the one place
// where a view is registered.
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

// All are the views of a process; all are required.
type All struct {
	Recall        *recall.Service
	Memories      *memory.Service
	Conversations *conversation.Service
	Events        *events.Bus
	Refresh       *refresh.Service
}

// Register registers them, before anything is told.
func (v All) Register(f *feed.Feed) {
	f.Register(feed.Reading, "recall", v.Recall)
	f.Register(feed.Reading, "memories", v.Memories)
	f.Register(feed.Reading, "conversations", feed.Func(v.Conversations.Stored))
	f.Register(feed.Listening, "events", v.Events)
	f.Register(feed.Deriving, "refresh", v.Refresh)
}

// What the feed tells a view beside what was committed.
var (
	_ feed.Rereader = (*recall.Service)(nil)
	_ feed.Holder   = (*recall.Service)(nil)
	_ feed.Dropper  = (*recall.Service)(nil)
	_ feed.Dropper  = (*memory.Service)(nil)
	_ feed.Dropper  = (*events.Bus)(nil)
)
