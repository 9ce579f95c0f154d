package term

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// Progress shows how far a long piece of work is: a bar on a terminal, nothing elsewhere. It is safe for concurrent
// use.
type Progress struct{ bar *progressbar.ProgressBar }

// Progress begins a bar of total steps. Call Done when the work is over, whether it succeeded or not.
func (o Out) Progress(what string, total int) *Progress {
	if !o.Terminal || total <= 1 {
		return &Progress{}
	}
	theme := progressbar.Theme{Saucer: "━", SaucerHead: "╸", SaucerPadding: " ", BarStart: "", BarEnd: ""}
	return &Progress{bar: progressbar.NewOptions(total,
		progressbar.OptionSetWriter(o.Writer),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(32),
		progressbar.OptionShowCount(),
		progressbar.OptionSetTheme(theme),
		progressbar.OptionThrottle(60*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetRenderBlankState(true),
	)}
}

// Step marks one step as done.
func (p *Progress) Step() {
	if p.bar != nil {
		_ = p.bar.Add(1) // it fails only past its end, which shows nothing wrong
	}
}

// Done takes the bar off the screen.
func (p *Progress) Done() {
	if p.bar != nil {
		_ = p.bar.Finish() // as in Step
	}
}
