package disktest

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/recallerhq/recaller/internal/durable"
)

// Sector is what a disk writes whole or not at all.
const Sector = 512

// dropped is a sync that failed: what was written before it is clean to the system, which does not write it any more.
const dropped durable.Kind = 100

// Replay carries out the steps of a disk one after another, and knows at each moment what is surely there.
type Replay struct {
	steps []durable.Step
	at    int
	root  *node
	names []*renaming // changes of names that are not durable
}

// node is a file or a folder.
type node struct {
	folder    bool
	now, then map[string]*node // names: as they are, and as they are for sure
	sure      []byte           // of a file: what is there for sure
	open      []durable.Step   // of a file: what was written since
}

// renaming is a change of names that comes whole or not at all.
type renaming struct{ changes []change }

type change struct {
	in   *node
	name string
	to   *node // nil: there is no such name any more
}

func newFolder() *node { return &node{folder: true, now: map[string]*node{}, then: map[string]*node{}} }

// NewReplay returns a replay of the steps, on an empty folder.
func NewReplay(steps []durable.Step) *Replay { return &Replay{steps: steps, root: newFolder()} }

// To carries out the steps before a number.
func (r *Replay) To(at int) {
	for ; r.at < at; r.at++ {
		r.do(r.steps[r.at])
	}
}

// find returns the folder that a path is in, its last name, and what has it.
func (r *Replay) find(path string) (in *node, name string, what *node) {
	in = r.root
	dir, name := filepath.Split(path)
	for _, part := range strings.Split(filepath.Clean(dir), string(filepath.Separator)) {
		if part == "." {
			continue
		}
		if in.now[part] == nil { // made before the disk was watched
			in.now[part] = newFolder()
			in.then[part] = in.now[part]
		}
		in = in.now[part]
	}
	if path == "" {
		return in, "", in
	}
	return in, name, in.now[name]
}

func (r *Replay) do(s durable.Step) {
	in, name, what := r.find(s.Path)
	switch s.Kind {
	case durable.Created:
		r.rename(change{in, name, &node{}})
	case durable.FolderMade:
		r.rename(change{in, name, newFolder()})
	case durable.Removed:
		r.rename(change{in, name, nil})
	case durable.Renamed:
		to, as, _ := r.find(s.To)
		r.rename(change{in, name, nil}, change{to, as, what})
	case durable.Linked:
		to, as, _ := r.find(s.To)
		r.rename(change{to, as, what})
	case durable.Written, durable.Truncated, durable.Synced:
		if what == nil { // made before the disk was watched
			what = &node{}
			in.now[name], in.then[name] = what, what
		}
		if s.Kind == durable.Synced {
			what.sure, what.open = applied(what.sure, what.open), nil
			return
		}
		what.open = append(what.open, s)
	case dropped:
		if what != nil {
			what.open = nil
		}
	case durable.NamesSynced:
		r.settle(what)
	}
}

func (r *Replay) rename(changes ...change) {
	for _, c := range changes {
		put(c.in.now, c)
	}
	r.names = append(r.names, &renaming{changes})
}

func put(names map[string]*node, c change) {
	if c.to == nil {
		delete(names, c.name)
		return
	}
	names[c.name] = c.to
}

// settle makes the names in a folder durable, and what came with them.
func (r *Replay) settle(folder *node) {
	left := r.names[:0]
	for _, n := range r.names {
		if !n.touches(folder) {
			left = append(left, n)
			continue
		}
		for _, c := range n.changes {
			put(c.in.then, c)
		}
	}
	r.names = left
}

func (n *renaming) touches(folder *node) bool {
	for _, c := range n.changes {
		if c.in == folder {
			return true
		}
	}
	return false
}

// Open reports whether something is not durable now.
func (r *Replay) Open() bool { return len(r.names) > 0 || r.root.any() }

func (n *node) any() bool {
	for _, of := range n.now {
		if len(of.open) > 0 || of.folder && of.any() {
			return true
		}
	}
	return false
}

// Image writes to a folder what a disk could have now. rng decides what of that which is not durable; nil: nothing.
func (r *Replay) Image(rng *rand.Rand, to string) error {
	return r.tree(rng).write(newFate(rng), to)
}

// tree returns a copy of the folders in which some of the changes of names came to pass that are not durable.
func (r *Replay) tree(rng *rand.Rand) *node {
	copies := map[*node]*node{}
	root := copied(r.root, copies)
	if rng == nil {
		return root
	}
	upto := rng.IntN(len(r.names) + 1) // most file systems have a journal of names
	ordered := rng.IntN(2) == 0
	lost := map[change]bool{} // by folder and name: what comes after is lost too
	for i, n := range r.names {
		kept := i < upto
		if !ordered {
			kept = rng.IntN(2) == 0
		}
		for _, c := range n.changes {
			kept = kept && !lost[change{c.in, c.name, nil}]
		}
		for _, c := range n.changes {
			if !kept {
				lost[change{c.in, c.name, nil}] = true
				continue
			}
			// What is in a folder that is new, or moved, has a copy by then.
			put(copied(c.in, copies).then, change{name: c.name, to: copied(c.to, copies)})
		}
	}
	return root
}

// copied returns the copy of a node: the same one each time. It has the names that are durable.
func copied(n *node, copies map[*node]*node) *node {
	if n == nil || !n.folder {
		return n
	}
	if c := copies[n]; c != nil {
		return c
	}
	c := newFolder()
	copies[n] = c
	for name, of := range n.then {
		c.then[name] = copied(of, copies)
	}
	return c
}

func (n *node) write(f *fate, to string) error {
	if !n.folder {
		return os.WriteFile(to, carriedOut(n.sure, n.open, f), 0o600)
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	for name, of := range n.then {
		if err := of.write(f, filepath.Join(to, name)); err != nil {
			return err
		}
	}
	return nil
}
