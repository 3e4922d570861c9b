/**
 * Event ids on the wire are the event number in the log times this factor. The ids in between are for wire events when
 * one event becomes several for older clients, and for heartbeats, whose ids must lie between those of the previous and
 * the next event without using up a number of the log. A million heartbeats take over a year.
 */
const idsPerEvent = 1_000_000

/** The id of the n-th wire event (from 0) of event number `seq`. */
export function eventId(seq: number, n = 0): number {
  return seq * idsPerEvent + n
}

/** The event number of an id. */
export function seqOf(id: number): number {
  return Math.floor(id / idsPerEvent)
}

/** The greatest id that belongs to event number `seq`. */
export function endOf(seq: number): number {
  return seq * idsPerEvent + idsPerEvent - 1
}

/** The id of a heartbeat for a client that has seen id `last`, when the log ends at event number `head`. */
export function heartbeatId(last: number, head: number): number {
  return Math.max(last + 1, head * idsPerEvent + 1)
}
