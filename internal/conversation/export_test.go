package conversation

// Entries counts the conversations that are held in memory, and fails to add up if one of the indexes of them leaks.
func Entries(s *Service) int {
	s.live.mu.Lock()
	defer s.live.mu.Unlock()
	n := len(s.live.byID)
	for _, m := range []map[key]*entry{s.live.byExternal, s.live.byOnce} {
		for _, e := range m {
			if s.live.byID[key{e.tenant, string(e.id)}] != e {
				n += 1000
			}
		}
	}
	away := 0
	for _, e := range s.live.byID {
		if e.away.Load() {
			away++
		}
	}
	if away == 0 && s.live.heldBytes.Load() != 0 || n == 0 && s.live.importBytes.Load() != 0 {
		n += 1_000_000
	}
	return n
}
