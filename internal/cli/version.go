package cli

import (
	"fmt"
	"runtime"
)

// versionCmd is `recaller version`.
type versionCmd struct {
	JSON bool `name:"json" help:"Print it as JSON"`
}

// Examples are lines to try.
func (*versionCmd) Examples() []string { return []string{"recaller version"} }

// askVersion is the --version flag. It answers as soon as it is read.
type askVersion bool

// IsBool makes it a flag without a value.
func (askVersion) IsBool() bool { return true }

// BeforeReset prints the version.
func (askVersion) BeforeReset(s *session) error {
	if err := (&versionCmd{}).Run(s); err != nil {
		return err
	}
	return errHelpShown
}

// Run prints the version.
func (c *versionCmd) Run(s *session) error {
	if c.JSON {
		return s.json(map[string]string{
			"version": s.version, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
		})
	}
	fmt.Fprintf(s.out, "recaller %s (%s, %s/%s)\n", s.version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
