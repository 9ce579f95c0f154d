package conversation

// state is where a conversation stands in this process.
type state int

const (
	opening state = iota // it began without the store, which has not seen it; what is said is held
	live                 // the store has what was answered, and is asked for what comes
	held                 // the store is away: something that was answered waits for it, and so will what comes
	closing              // the store is being asked to end it because nobody speaks; what comes waits for the outcome
	ending               // its end was answered, and waits for the store with what was said before it
	ended                // it is over, erased or given up; nothing waits, but words may that are only here
)

var stateNames = [...]string{"opening", "live", "held", "closing", "ending", "ended"}

func (s state) String() string { return stateNames[s] }

// away tells that the store is: something of the conversation waits for it that was answered.
func (s state) away() bool { return s == opening || s == held || s == ending }

// over tells that nothing can be said any more.
func (s state) over() bool { return s >= ending }

// event is what happens to a conversation.
type event int

const (
	storeAway event = iota // the store does not answer, and something waits for it
	opened                 // the store has the conversation
	caughtUp               // nothing waits for the store any more
	isIdle                 // nobody has spoken for long, and it is to be ended
	goesOn                 // ending an idle one is settled: if it failed, the conversation goes on
	endHeld                // its end is answered, or known, while something waits for the store
	closed                 // the store has its end, and nothing else waits
	dropped                // it was erased, written up, or the store refuses it for good
)

var eventNames = [...]string{"store away", "opened", "caught up", "idle", "goes on", "end held", "closed", "dropped"}

func (ev event) String() string { return eventNames[ev] }

// transitions are all that can happen: what is not in it is a bug of ours. The package comment has them as a drawing.
var transitions = map[state]map[event]state{
	opening: {storeAway: opening, opened: held, endHeld: ending, dropped: ended},
	live:    {storeAway: held, caughtUp: live, isIdle: closing, closed: ended, dropped: ended},
	held:    {storeAway: held, caughtUp: live, endHeld: ending, closed: ended, dropped: ended},
	closing: {storeAway: closing, goesOn: live, closed: ended, dropped: ended},
	ending:  {storeAway: ending, opened: ending, caughtUp: ended, endHeld: ending, closed: ended, dropped: ended},
	ended:   {storeAway: ended, opened: ended, caughtUp: ended, goesOn: ended, closed: ended, dropped: ended},
}

// after tells the state that an event leads to; false if it cannot happen.
func (s state) after(ev event) (to state, ok bool) {
	to, ok = transitions[s][ev]
	return to, ok
}
