package cli

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/recallerhq/recaller/internal/rehearsal"
)

// The voices of a call that is spoken.
const (
	tones      = "tones"
	agentVoice = "en-us+f3"
	callerHz   = 140
	agentHz    = 260
)

// voices returns the voices of the caller and of the agent.
func (s *session) voices(name string) (caller, agent rehearsal.Voice, err error) {
	if name == tones {
		return rehearsal.Hum{Hz: callerHz}, rehearsal.Hum{Hz: agentHz}, nil
	}
	path, ok := s.program(rehearsal.EspeakProgram)
	if !ok {
		return nil, nil, &failure{
			code: ExitFailed, msg: rehearsal.EspeakProgram + ", which speaks, is not installed",
			hint: "install its package (apt install espeak-ng, brew install espeak-ng), or give --voice tones: then words are hummed",
		}
	}
	return rehearsal.Espeak{Path: path, Name: name}, rehearsal.Espeak{Path: path, Name: agentVoice}, nil
}

// program finds a program in the PATH of the run.
func (s *session) program(name string) (string, bool) {
	for _, folder := range filepath.SplitList(s.getenv("PATH")) {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, true
		}
	}
	return "", false
}

// players are the programs that play a call while it goes on, each with what it must be told of its standard input: two
// channels of 16 bits, 8000 a second.
func players() [][]string {
	return [][]string{
		{"aplay", "-q", "-t", "raw", "-f", "S16_LE", "-r", "8000", "-c", "2", "-"},
		{"ffplay", "-loglevel", "quiet", "-nodisp", "-autoexit", "-fflags", "nobuffer", "-f", "s16le", "-ar", "8000", "-ch_layout", "stereo", "-i", "-"},
		{"play", "-q", "-t", "raw", "-e", "signed", "-b", "16", "-r", "8000", "-c", "2", "-"},
	}
}

// player plays a call while it goes on. What its program does not take in time is not played.
type player struct {
	frames chan []byte
	done   chan struct{}
}

// listen starts a player; false: there is no program that plays.
func (s *session) listen(ctx context.Context) (*player, bool) {
	for _, command := range players() {
		path, ok := s.program(command[0])
		if !ok {
			continue
		}
		cmd := exec.CommandContext(ctx, path, command[1:]...) //nolint:gosec // one of ours
		in, err := cmd.StdinPipe()
		if err != nil || cmd.Start() != nil {
			continue
		}
		p := &player{frames: make(chan []byte, 500), done: make(chan struct{})}
		go p.run(in, cmd)
		s.verbosef("%s plays the call", path)
		return p, true
	}
	return nil, false
}

func (p *player) run(in io.WriteCloser, cmd *exec.Cmd) {
	defer close(p.done)
	broken := false
	for frame := range p.frames {
		if !broken {
			_, err := in.Write(frame)
			broken = err != nil // its user closed it: the call goes on
		}
	}
	_ = in.Close()
	_ = cmd.Wait() // how it ended tells nothing
}

// hear plays a piece of the call.
func (p *player) hear(said, heard []byte) {
	select {
	case p.frames <- rehearsal.Samples(said, heard):
	default:
	}
}

// close waits until all is played.
func (p *player) close() {
	close(p.frames)
	<-p.done
}
