package core

// ErrWithdrawn is the cause with which a turn's context is cancelled when more
// people can read the place than the answer was made for, and the error of a turn
// of which a source was closed to its readers meanwhile. What the turn said and
// was about to say is thrown away then: it is no answer, not even a partial one.
var ErrWithdrawn = Errorf(KindCancelled, "Who may read this answer has changed while it was made; it was thrown away.")
