package conversation

// state is where a conversation stands in this process.
type state int

const (
	opening state = iota // it began while the store was away, and the store has not seen it; what is said is held
	live                 // the store has all that was answered, and is asked to take what comes
	held                 // the store is away: something that was answered waits for it, and what comes will wait too
	closing              // it is idle, and the store is being asked to end it; what comes waits for the outcome
	ending               // its end was answered, and waits for the store behind what was said before
	ended                // it is over, erased or given up; nothing waits, but this process may still have its words
)

var stateNames = [...]string{"opening", "live", "held", "closing", "ending", "ended"}

func (s state) String() string { return stateNames[s] }

// away reports whether something is held, because the store is away.
func (s state) away() bool { return s == opening || s == held || s == ending }

// over reports whether nothing can be said any more.
func (s state) over() bool { return s >= ending }

// event is what happens to a conversation.
type event int

const (
	storeAway event = iota // the store does not answer, and something waits for it
	opened                 // the store has the conversation
	caughtUp               // nothing waits for the store any more
	isIdle                 // nobody has spoken for a long time, and it is about to be ended
	goesOn                 // the attempt to end an idle one is over; if it failed, the conversation goes on
	endHeld                // its end was answered, or became known, while something waits for the store
	closed                 // the store has its end, and nothing else waits
	dropped                // it was erased, written up, or the store refuses it for good
)

var eventNames = [...]string{"store away", "opened", "caught up", "idle", "goes on", "end held", "closed", "dropped"}

func (ev event) String() string { return eventNames[ev] }

// transitions are all that can happen. An event that is not here is a bug of ours. The package comment draws them.
var transitions = map[state]map[event]state{
	opening: {storeAway: opening, opened: held, endHeld: ending, dropped: ended},
	live:    {storeAway: held, caughtUp: live, isIdle: closing, closed: ended, dropped: ended},
	held:    {storeAway: held, caughtUp: live, endHeld: ending, closed: ended, dropped: ended},
	closing: {storeAway: closing, goesOn: live, closed: ended, dropped: ended},
	ending:  {storeAway: ending, opened: ending, caughtUp: ended, endHeld: ending, closed: ended, dropped: ended},
	ended:   {storeAway: ended, opened: ended, caughtUp: ended, goesOn: ended, closed: ended, dropped: ended},
}

// after returns the state that an event leads to; false: the event cannot happen in this state.
func (s state) after(ev event) (to state, ok bool) {
	to, ok = transitions[s][ev]
	return to, ok
}
