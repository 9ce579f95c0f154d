package store

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Newest returns the number of the last of an engine's migrations: files named migration/NUMBER_name.sql.
func Newest(migrations fs.FS) (int64, error) {
	list, err := fs.Glob(migrations, "migration/*.sql") // in order
	if err != nil {
		return 0, err
	}
	number, _, _ := strings.Cut(path.Base(list[len(list)-1]), "_")
	return strconv.ParseInt(number, 10, 64)
}
