package app

import (
	"context"

	"github.com/recallerhq/recaller/internal/backup"
)

// copies are the unsealed copies that backups make in the data folder for a moment.
type copies struct{ *App }

// Discard implements privacy.Copies.
func (c copies) Discard(context.Context) (working bool, err error) {
	removed, working, err := backup.Discard(c.cfg.Data)
	if removed > 0 {
		c.log.Info("removed the copies that a killed backup left", "folders", removed)
	}
	return working, err
}
