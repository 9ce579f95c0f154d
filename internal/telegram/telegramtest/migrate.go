package telegramtest

import (
	"net/http"
	"strconv"
)

// Migrate makes a supergroup of a group: what is sent to it is refused from now on, with its new id.
func (s *Server) Migrate(from, to int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.migrated == nil {
		s.migrated = map[string]int64{}
	}
	s.migrated[strconv.FormatInt(from, 10)] = to
}

// MigratedTo has the old group tell of it; MigratedFrom has the new one do so.
func (s *Server) MigratedTo(from, to int64) {
	s.Send(1087968824, map[string]any{"chat": map[string]any{"id": from, "type": "group"}, "migrate_to_chat_id": to})
}

// MigratedFrom has the new group tell of it.
func (s *Server) MigratedFrom(from, to int64) {
	s.Send(1087968824, map[string]any{"chat": map[string]any{"id": to, "type": "supergroup"}, "migrate_from_chat_id": from})
}

func upgraded(to int64) *Failure {
	return &Failure{
		Status: http.StatusBadRequest, Description: "Bad Request: group chat was upgraded to a supergroup chat", MigrateTo: to,
	}
}
