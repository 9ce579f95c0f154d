// Package endpoint holds what our clients of model endpoints have in common: a breaker that keeps requests from an endpoint that is
// down, and the reading of what HTTP refusals and failed connections mean and how long an endpoint asks to be left alone.
//
// It is not for sending: it knows no request, no answer and no format. It logs nothing, and what it gives back holds nothing that
// was sent or answered. Only edges that speak to endpoints import it.
package endpoint
