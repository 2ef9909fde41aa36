package plugins

import "context"

// Outdate says that another program of a connector is installed. Its processes end
// as soon as nobody uses them, so that the next use starts the new program; what is
// under way goes on undisturbed. Sources that wait or are parked may be tried again
// at once: the reason may be gone with the old program.
func (h *Host) Outdate(ctx context.Context, connector string) error {
	for _, s := range h.allSeats() {
		if err := s.lock(ctx); err != nil {
			return err
		}
		if s.src.Connector == connector {
			s.reset(h.opts.Now())
			if s.outdated = s.conn != nil; s.outdated && s.users == 0 {
				s.end()
			}
		}
		s.unlock()
	}
	return nil
}
