package e2e

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// soakIDs are ids that are made of letters at random, and so look like a word now and then.
var soakIDs = regexp.MustCompile(`"request_id":"[^"]*"`)

// readLog reads each line of the server's log.
func (s *soak) readLog(line string) {
	for _, bad := range []string{"panic", "DATA RACE", "fatal error"} {
		if strings.Contains(line, bad) {
			s.violated(nil, "the log: %s", line)
		}
	}
	line = soakIDs.ReplaceAllString(line, `"request_id":""`)
	if soakWords.MatchString(line) || strings.Contains(line, "+1415") {
		s.violated(nil, "the log has what was said, or a number: %s", line)
	}
	var level, msg string
	if m := logLine.FindStringSubmatch(line); m != nil {
		level, msg = m[1], m[2]
	}
	// A key whose deletion was cut short counts as damaged until the deletion is asked for again.
	if strings.Contains(msg, "damaged") && !strings.Contains(line, `"table":"api_keys"`) {
		s.violated(nil, "the log: %s", line)
	}
	switch {
	case msg == "request":
		return // who asked for it takes it in
	case strings.Contains(msg, "is lost"):
		s.mu.Lock()
		s.lives[len(s.lives)-1].lost = true
		s.mu.Unlock()
		fallthrough
	case level == "ERROR" || level == "WARN":
		s.odd(fmt.Sprintf("%s %s", level, msg))
		s.warned(line)
	}
}

// warned keeps the last warnings of the log.
func (s *soak) warned(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.warnings = append(s.warnings, line); len(s.warnings) > 200 {
		s.warnings = slices.Clone(s.warnings[100:])
	}
}

var logLine = regexp.MustCompile(`"level":"(\w+)","msg":"([^"]*)"`)

// vitals is what a process takes.
type vitals struct{ goroutines, files, megabytes int }

var vital = regexp.MustCompile(`(?m)^(go_goroutines|process_open_fds|process_resident_memory_bytes) (\S+)$`)

// vitals asks the server what it takes.
func (s *soak) vitals() (v vitals, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), soakAsks)
	defer cancel()
	raw, err := s.client(s.key).Metrics(ctx)
	for _, m := range vital.FindAllSubmatch(raw, -1) {
		n, _ := strconv.ParseFloat(string(m[2]), 64) // 0 is as good as none
		switch string(m[1]) {
		case "go_goroutines":
			v.goroutines = int(n)
		case "process_open_fds":
			v.files = int(n)
		default:
			v.megabytes = int(n / 1e6)
		}
	}
	return v, err
}

// watch takes the server's pulse.
func (s *soak) watch(ctx context.Context) {
	for pauseFor(ctx, 2*time.Second) {
		v, err := s.vitals()
		if err != nil {
			continue // it is away
		}
		s.mu.Lock()
		s.peak = vitals{max(s.peak.goroutines, v.goroutines), max(s.peak.files, v.files), max(s.peak.megabytes, v.megabytes)}
		s.mu.Unlock()
	}
}

// What a server may take that has nothing to do, and one that has.
var (
	restful = vitals{goroutines: 120, files: 120}
	busy    = vitals{goroutines: 2000, files: 1000, megabytes: 1500}
)

// checkVitals wants the server to let go of what it does not need.
func (s *soak) checkVitals() {
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	v, err := s.vitals()
	for began := time.Now(); (err != nil || v.goroutines > restful.goroutines || v.files > restful.files) && time.Since(began) < patience; v, err = s.vitals() {
		<-time.After(100 * time.Millisecond)
	}
	s.log("at rest: %+v", v)
	if err != nil || v.goroutines > restful.goroutines || v.files > restful.files {
		s.violated(nil, "at rest it takes %+v, %v; want at most %+v", v, err, restful)
	}
	s.mu.Lock()
	peak := s.peak
	s.mu.Unlock()
	if peak.goroutines > busy.goroutines || peak.files > busy.files || peak.megabytes > busy.megabytes {
		s.violated(nil, "it took %+v at most; want at most %+v", peak, busy)
	}
}
