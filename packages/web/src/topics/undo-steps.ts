import type { PropagateMode } from '@parley/api/conversations/editing'

export interface TopicPlace {
  stream_id: number
  topic: string
}

export interface Move {
  /** One of the messages; with modes other than `change_one`, others of its topic move too. */
  messageId: number
  from: TopicPlace
  to: TopicPlace
  mode: PropagateMode
}

/** More single moves than this would take too long. */
const mostSingle = 50

/**
 * How a move is taken back exactly. A topic that moved as a whole to a place without messages moves back as a whole.
 * Otherwise the moved messages go back one by one, because the others in that place were there before. Undefined if
 * there are too many.
 */
export function undoSteps(
  { messageId, from, to, mode }: Move,
  wasEmpty: boolean,
  moved: readonly number[],
): Move[] | undefined {
  const back = (id: number, how: PropagateMode): Move => ({ messageId: id, from: to, to: from, mode: how })
  if (mode === 'change_all' && wasEmpty) return [back(messageId, 'change_all')]
  if (moved.length === 0 || moved.length > mostSingle) return undefined
  return moved.map((id) => back(id, 'change_one'))
}
