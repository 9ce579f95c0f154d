package keyfile

import (
	"errors"
	"io/fs"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/durable"
)

// A rotation of a master key that is kept in a file has two files: the key in force, and beside it, under this ending,
// the one that is to take its place. The next key is on the disk before it wraps anything, and in the other's place
// only when it wraps everything, so whenever a rotation is cut short both are there and it can go on.
const nextEnding = ".new"

// NextMaster returns the key that is to take the place of the one at path, and makes it if there is none yet.
func NextMaster(path string) (key string, err error) {
	key, _, err = LoadOrCreateMaster(path + nextEnding)
	return key, err
}

// PendingMaster returns the key that is to take the place of the one at path, if a rotation has begun and not ended.
func PendingMaster(path string) (key string, pending bool, err error) {
	key, err = loadMaster(path + nextEnding)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	return key, err == nil, err
}

// PromoteMaster puts the next key in the place of the one at path, durably. The key that was there is gone.
func PromoteMaster(path string) error {
	if err := durable.Rename(path+nextEnding, path); err != nil {
		return recaller.Wrap(recaller.Unavailable, err, "the new key cannot be put in its place")
	}
	return nil
}
