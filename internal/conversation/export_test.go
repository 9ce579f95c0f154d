package conversation

import "github.com/recallerhq/recaller"

// Entries counts the conversations that are held in memory, and fails to add up if one of the indexes of them leaks.
func Entries(s *Service) int {
	s.Ledger.mu.Lock()
	defer s.Ledger.mu.Unlock()
	n := len(s.Ledger.byID)
	for _, m := range []map[key]*entry{s.Ledger.byExternal, s.Ledger.byOnce} {
		for _, e := range m {
			if s.Ledger.byID[key{e.tenant.ID, string(e.id)}] != e {
				n += 1000
			}
		}
	}
	for of, list := range s.Ledger.byCaller {
		for _, e := range list {
			if s.Ledger.byID[key{e.tenant.ID, string(e.id)}] != e || of != e.of() {
				n += 1000
			}
		}
	}
	away := 0
	for _, e := range s.Ledger.byID {
		if e.isAway() {
			away++
		}
	}
	if away == 0 && s.Ledger.heldBytes.Load() != 0 || n == 0 && s.Ledger.importBytes.Load() != 0 {
		n += 1_000_000
	}
	return n
}

// LiveTurns are the words of a caller's conversations that are only in memory.
func (s *Service) LiveTurns(tenant recaller.TenantID, caller recaller.CallerID) map[recaller.ConversationID][]recaller.Turn {
	out := map[recaller.ConversationID][]recaller.Turn{}
	for _, e := range s.Ledger.ofCaller(tenant, caller) {
		if words := e.said(); len(words) > 0 {
			out[e.id] = words
		}
	}
	return out
}

// HeldTurns are the turns of a caller's conversations that are held.
func (s *Service) HeldTurns(tenant recaller.TenantID, caller recaller.CallerID) map[recaller.ConversationID][]recaller.Turn {
	return s.Ledger.held(tenant, caller)
}
