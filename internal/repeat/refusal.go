package repeat

import "errors"

// ErrNone is the error for a text without a repetition.
var ErrNone = errors.New(`must say how often, as "every Monday at 9", "jeden Montag um 9", "cada lunes a las 9" ` +
	`or an RRULE (FREQ=WEEKLY;BYDAY=MO)`)

// Why a repetition is refused, in words that say how to put it.
var (
	errTwo    = errors.New(`must be one repetition, as "every Monday and Thursday at 9": set a reminder for each`)
	errClocks = errors.New(`must have one time of day: set a reminder for each`)
	errClock  = errors.New(`must have a time of day as "at 9", "at 20:30" or "in the morning", and no other words`)
	errTimes  = errors.New(`must say on which days or at what time, as "every Monday at 9": a reminder for each time of a day`)
	errWhich  = errors.New(`must say which day, as "every other Monday", "every three weeks on Monday" or ` +
		`"the third Monday of every month"`)
	errRange    = errors.New(`must be a range of days within a week, as "Monday to Friday"`)
	errDate     = errors.New(`must say the day of the year, as "every year on 5 January"`)
	errNever    = errors.New(`must leave a day over`)
	errUntil    = errors.New(`must say the last day as "until 24 December", or how long as "for ten days"`)
	errOver     = errors.New(`must have a first time that lies ahead, and before its end`)
	errOften    = errors.New(`must not be oftener than every hour`)
	errHours    = errors.New(`must say the hours one by one: "every hour" has no other time`)
	errMidnight = errors.New(`must say the hour as "every Friday at 23:30": midnight is between two days`)
	errMonthEnd = errors.New(`must be on a day that every month has: up to the 28th, or "on the last day of every month"`)
	errLeap     = errors.New(`must be on a day that every year has: not 29 February`)
	errEight    = errors.New(`must say "every week", or the eight days as FREQ=DAILY;INTERVAL=8: people mean both by it`)
	errUnclear  = errors.New(`must say it in words that mean one thing to all, as "every two weeks" or "Monday to Friday"`)
	errLong     = errors.New(`must have at most 200 bytes`)
	errRule     = errors.New(`must be a rule with FREQ=HOURLY, DAILY, WEEKLY, MONTHLY or YEARLY, and of INTERVAL, COUNT, UNTIL, BYDAY, ` +
		`BYMONTHDAY, BYMONTH, BYSETPOS and one BYHOUR and BYMINUTE what goes with it`)
)
