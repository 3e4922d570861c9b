/** One message of the gallery. */
export interface Line {
  /** The first part of an email of the demo: `ines` for ines@example.com. */
  from: string
  text: string
  /** Minutes before the frozen moment. Without it, one minute after the line before. */
  ago?: number
  /** States name the message by this: `{message photo}`. */
  key?: string
  reactions?: Record<string, string[]>
  /** The text it is replaced by, so that it counts as edited. */
  editedTo?: string
  /** Who votes for each option of a poll. */
  votes?: string[][]
}

/** Messages by topic, in the channel of their file. */
export type Topics = Record<string, Line[]>

/** Minutes. */
export const hour = 60
export const day = 24 * hour
