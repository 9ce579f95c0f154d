package conversation

// Entries counts the conversations that are held in memory, and fails to add up if one of the indexes of them leaks.
func Entries(s *Service) int {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	n := len(s.ledger.byID)
	for _, m := range []map[key]*entry{s.ledger.byExternal, s.ledger.byOnce} {
		for _, e := range m {
			if s.ledger.byID[key{e.tenant, string(e.id)}] != e {
				n += 1000
			}
		}
	}
	away := 0
	for _, e := range s.ledger.byID {
		if e.isAway() {
			away++
		}
	}
	if away == 0 && s.ledger.heldBytes.Load() != 0 || n == 0 && s.ledger.importBytes.Load() != 0 {
		n += 1_000_000
	}
	return n
}
