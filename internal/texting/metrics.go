package texting

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/sms"
)

// answer is what became of an answer.
type answer string

const (
	answerSent     answer = "sent"
	answerTogether answer = "together"  // what came after the text is answered with it
	answerUnwanted answer = "unwanted"  // its sender stopped meanwhile, or the tenant has texts not answered any more
	answerStopped  answer = "opted_out" // the carrier says that its sender stopped
	answerRefused  answer = "refused"   // by the carrier
	answerGone     answer = "gone"      // the text was forgotten, or lies long back
	answerTooMany  answer = "too_many"
	answerFailed   answer = "failed" // every try
)

// Metrics counts texts. Labels are closed sets.
type Metrics struct {
	commands *prometheus.CounterVec
	out      *prometheus.CounterVec
	answers  *prometheus.CounterVec
}

// NewMetrics registers them.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		commands: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_texting_commands_total", Help: "Texts by which somebody told a number to stop, to start again, or asked who it is.",
		}, []string{"command"}),
		out: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_texting_sent_total", Help: "Parts of texts that were handed to a carrier, by what it said.",
		}, []string{"carrier", "result"}),
		answers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_texting_answers_total", Help: "Answers to texts, by what became of them.",
		}, []string{"result"}),
	}
	reg.MustRegister(m.commands, m.out, m.answers)
	return m
}

func (m *Metrics) command(c sms.Command) { m.commands.WithLabelValues(string(c)).Inc() }

func (m *Metrics) answer(a answer) { m.answers.WithLabelValues(string(a)).Inc() }

// sent counts what a carrier said.
func (m *Metrics) sent(by recaller.Carrier, err error) {
	result := "taken"
	switch {
	case err == nil:
	case errors.Is(err, recaller.ErrOptedOut):
		result = "opted_out"
	case errors.Is(err, recaller.Invalid):
		result = "refused"
	case errors.Is(err, recaller.Unauthenticated), errors.Is(err, recaller.NotFound):
		result = "key_refused"
	case errors.Is(err, recaller.Timeout):
		result = "unanswered"
	default:
		result = "away"
	}
	m.out.WithLabelValues(string(by), result).Inc()
}
