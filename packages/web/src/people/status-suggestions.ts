/** What most people say about themselves: code and name of the emoji, the text, and for how long. */
export const statusSuggestions = [
  ['1f4c5', 'calendar', 'status.meeting', 'hour'],
  ['1f68c', 'bus', 'status.commuting', 'halfHour'],
  ['1f912', 'sick', 'status.sick', 'today'],
  ['1f334', 'palm_tree', 'status.holiday', 'never'],
  ['1f3e0', 'house', 'status.remote', 'today'],
] as const

const minute = 60

/** When a status ends that is set now, in seconds since 1970. */
export const statusEnds = {
  never: () => null,
  halfHour: () => fromNow(30 * minute),
  hour: () => fromNow(60 * minute),
  fourHours: () => fromNow(240 * minute),
  today: () => Math.floor(new Date().setHours(23, 59, 59, 0) / 1000),
} as const

export type StatusEnd = keyof typeof statusEnds

const fromNow = (seconds: number) => Math.floor(Date.now() / 1000) + seconds
