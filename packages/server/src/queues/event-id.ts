/**
 * Ids as clients see them. An event's number in the log, times this, leaves room behind each event: for the several
 * events that one becomes for older clients, and for heartbeats, which must have greater ids than anything before
 * them and smaller ones than anything after, without costing the log a number. A million heartbeats take over a year.
 */
const room = 1_000_000

/** The id of the n-th event (from 0) that the log's event number `seq` becomes. */
export function eventId(seq: number, n = 0): number {
  return seq * room + n
}

/** The number in the log that an id belongs to. */
export function seqOf(id: number): number {
  return Math.floor(id / room)
}

/** The first id that is certainly after everything up to number `seq`. */
export function endOf(seq: number): number {
  return seq * room + room - 1
}

/** The id of a heartbeat to a client that has seen `last`, while the log reaches to `head`. */
export function heartbeatId(last: number, head: number): number {
  return Math.max(last + 1, head * room + 1)
}
