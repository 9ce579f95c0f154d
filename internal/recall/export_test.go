package recall

// Drain waits until what runs in the background has ended by itself.
func (s *Service) Drain() { s.filling.Wait() }
