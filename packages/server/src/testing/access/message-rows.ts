import type { Operation } from '@parley/api/operation'
import { operations } from '@parley/api/operations'
import type { Caller, Stage } from './callers.ts'
import type { Refusals } from './refusals.ts'
import type { Values } from './request.ts'
import type { Row } from './row.ts'

type PlaceName = 'plaza' | 'market' | 'den' | 'vault' | 'recent' | 'ruin' | 'direct'

interface ActionRow {
  does: string
  operation: Operation
  request: (message_id: number, otherChannel: number) => Values
  refusals?: Refusals
  /** Consumes the message, so that each caller who succeeds needs a new one. */
  consumes?: true
  outcomes: Record<PlaceName, string>
}

const path = (message_id: number) => ({ path: { message_id } })
const newest = { anchor: 'newest', num_before: 5, num_after: 0 }
const narrowTo = (id: number) => [{ operator: 'id', operand: id }]

/** Requests about a message from Ann, in every kind of place. The columns are those of callers.ts. */
const actionRows: ActionRow[] = [
  {
    does: 'read',
    operation: operations.getMessage as Operation,
    request: path,
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓a✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓Xa XXX XXX W',
      vault: '1KDX XX X✓XX XXX XXX W',
      recent: '1KDX XX X✓X✓ XXX XXX W',
      ruin: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      direct: '1KDX XX X✓XX XXX XXX W',
    },
  },
  {
    does: 'read the history of',
    operation: operations.getMessageHistory as Operation,
    request: path,
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓X✓ XXX XXX W',
      vault: '1KDX XX X✓XX XXX XXX W',
      recent: '1KDX XX X✓X✓ XXX XXX W',
      ruin: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      direct: '1KDX XX X✓XX XXX XXX W',
    },
  },
  {
    does: 'be reminded of',
    operation: operations.createReminder as Operation,
    request: (message_id) => ({ message_id, scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) + 3600 }),
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓X✓ XXX XXX W',
      vault: '1KDX XX X✓XX XXX XXX W',
      recent: '1KDX XX X✓X✓ XXX XXX W',
      ruin: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      direct: '1KDX XX X✓XX XXX XXX W',
    },
  },
  {
    does: 'list the readers of',
    operation: operations.getReadReceipts as Operation,
    request: path,
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓X✓ XXX XXX W',
      vault: '1KDX XX X✓XX XXX XXX W',
      recent: '1KDX XX X✓X✓ XXX XXX W',
      ruin: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      direct: '1KDX XX X✓XX XXX XXX W',
    },
  },
  {
    does: 'fetch',
    operation: operations.getMessages as Operation,
    request: (id) => ({ message_ids: [id], client_gravatar: false }),
    outcomes: {
      plaza: '1KDx ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDx xx ✓a✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDx xx x✓xa xxx xxx W',
      vault: '1KDx xx x✓xx xxx xxx W',
      recent: '1KDx xx x✓x✓ xxx xxx W',
      ruin: '1KDx ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      direct: '1KDx xx x✓xx xxx xxx W',
    },
  },
  {
    does: 'match',
    operation: operations.matchNarrow as Operation,
    request: (id) => ({ msg_ids: [id], narrow: narrowTo(id) }),
    outcomes: {
      plaza: '1KDx ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDx xx x✓xx xxx xxx W',
      den: '1KDx xx x✓xx xxx xxx W',
      vault: '1KDx xx x✓xx xxx xxx W',
      recent: '1KDx xx x✓x✓ xxx xxx W',
      ruin: '1KDx ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      direct: '1KDx xx x✓xx xxx xxx W',
    },
  },
  {
    does: 'find',
    operation: operations.getMessages as Operation,
    request: (id) => ({ ...newest, narrow: narrowTo(id), client_gravatar: false }),
    outcomes: {
      plaza: '1KDx ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDx xx x✓xx xxx xxx W',
      den: '1KDx xx x✓xx xxx xxx W',
      vault: '1KDx xx x✓xx xxx xxx W',
      recent: '1KDx xx x✓x✓ xxx xxx W',
      ruin: '1KDx ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      direct: '1KDx xx x✓xx xxx xxx W',
    },
  },
  {
    does: 'find the topic of',
    operation: operations.getMessages as Operation,
    request: (id) => ({ ...newest, anchor: id, narrow: [{ operator: 'with', operand: id }], client_gravatar: false }),
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓a✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓Xa XXX XXX W',
      vault: '1KDX XX X✓XX XXX XXX W',
      recent: '1KDX XX X✓X✓ XXX XXX W',
      ruin: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      direct: '1KDX XX X✓XX XXX XXX W',
    },
  },
  {
    does: 'star',
    operation: operations.updateMessageFlags as Operation,
    request: (id) => ({ messages: [id], op: 'add', flag: 'starred' }),
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓X✓ XXX XXX W',
      vault: '1KDX XX X✓XX XXX XXX W',
      recent: '1KDX XX X✓X✓ XXX XXX W',
      ruin: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      direct: '1KDX XX X✓XX XXX XXX W',
    },
  },
  {
    does: 'star all that match',
    operation: operations.updateFlagsInNarrow as Operation,
    request: (id) => ({ ...newest, narrow: narrowTo(id), op: 'add', flag: 'starred' }),
    outcomes: {
      plaza: '1KDx ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDx xx ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDx xx x✓x✓ xxx xxx W',
      vault: '1KDx xx x✓xx xxx xxx W',
      recent: '1KDx xx x✓x✓ xxx xxx W',
      ruin: '1KDx ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      direct: '1KDx xx x✓xx xxx xxx W',
    },
  },
  {
    does: 'react to',
    operation: operations.addReaction as Operation,
    request: (id) => ({ ...path(id), emoji_name: 'tada' }),
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓X✓ XXX XXX W',
      vault: '1KDX XX X✓XX XXX XXX W',
      recent: '1KDX XX X✓X✓ XXX XXX W',
      ruin: '1KDX XX XXXX XXX XXX W',
      direct: '1KDX XX X✓XX XXX XXX W',
    },
  },
  {
    does: 'remove a reaction from',
    operation: operations.removeReaction as Operation,
    request: (id) => ({ ...path(id), emoji_name: 'cry' }),
    refusals: { B: { msg: "Reaction doesn't exist.", code: 'REACTION_DOES_NOT_EXIST' } },
    outcomes: {
      plaza: '1KDX BB BBBB BBB BBB W',
      market: '1KDX XX BBBB BBB BBB W',
      den: '1KDX XX XBXB XXX XXX W',
      vault: '1KDX XX XBXX XXX XXX W',
      recent: '1KDX XX XBXB XXX XXX W',
      ruin: '1KDX XX XXXX XXX XXX W',
      direct: '1KDX XX XBXX XXX XXX W',
    },
  },
  {
    does: 'add a submessage to',
    operation: operations.addSubmessage as Operation,
    request: (message_id) => ({ message_id, msg_type: 'widget', content: '{}' }),
    refusals: { B: 'You cannot attach a submessage to this message.' },
    outcomes: {
      plaza: '1KDX BB BBBB BBB BBB W',
      market: '1KDX XX BBBB BBB BBB W',
      den: '1KDX XX XBXB XXX XXX W',
      vault: '1KDX XX XBXX XXX XXX W',
      recent: '1KDX XX XBXB XXX XXX W',
      ruin: '1KDX XX XXXX XXX XXX W',
      direct: '1KDX XX XBXX XXX XXX W',
    },
  },
  {
    does: 'edit',
    operation: operations.editMessage as Operation,
    request: (id) => ({ ...path(id), content: 'mine' }),
    refusals: { B: "You don't have permission to edit this message." },
    outcomes: {
      plaza: '1KDX BB BBBB BBB BBB W',
      market: '1KDX XX BBBB BBB BBB W',
      den: '1KDX XX XBXB XXX XXX W',
      vault: '1KDX XX XBXX XXX XXX W',
      recent: '1KDX XX XBXB XXX XXX W',
      ruin: '1KDX BB BBBB BBB BBB W',
      direct: '1KDX XX XBXX XXX XXX W',
    },
  },
  {
    does: 'move to another topic',
    operation: operations.editMessage as Operation,
    request: (id) => ({ ...path(id), topic: 'new topic' }),
    refusals: { B: 'Direct messages have neither a channel nor a topic.' },
    consumes: true,
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓X✓ XXX XXX W',
      vault: '1KDX XX X✓XX XXX XXX W',
      recent: '1KDX XX X✓X✓ XXX XXX W',
      ruin: '1KDX XX XXXX XXX XXX W',
      direct: '1KDX XX XBXX XXX XXX W',
    },
  },
  {
    does: 'move to another channel',
    operation: operations.editMessage as Operation,
    request: (id, target) => ({ ...path(id), stream_id: target }),
    refusals: { B: 'Direct messages have neither a channel nor a topic.', C: 'Invalid channel ID' },
    consumes: true,
    outcomes: {
      plaza: '1KDX CC ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓X✓ XXX XXX W',
      vault: '1KDX XX X✓XX XXX XXX W',
      recent: '1KDX XX X✓X✓ XXX XXX W',
      ruin: '1KDX XX XXXX XXX XXX W',
      direct: '1KDX XX XBXX XXX XXX W',
    },
  },
  {
    does: 'type an edit of',
    operation: operations.setEditTypingStatus as Operation,
    request: (id) => ({ ...path(id), op: 'start' }),
    refusals: { B: "You don't have permission to edit this message." },
    outcomes: {
      plaza: '1KDX BB BBBB BBB BBB W',
      market: '1KDX XX BBBB BBB BBB W',
      den: '1KDX XX XBXB XXX XXX W',
      vault: '1KDX XX XBXX XXX XXX W',
      recent: '1KDX XX XBXB XXX XXX W',
      ruin: '1KDX XX XXXX XXX XXX W',
      direct: '1KDX XX XBXX XXX XXX W',
    },
  },
  {
    does: 'delete',
    operation: operations.deleteMessage as Operation,
    request: path,
    refusals: { B: "You don't have permission to delete this message" },
    consumes: true,
    outcomes: {
      plaza: '1KDX BB BBBB B✓✓ BBB W',
      market: '1KDX XX BBBB B✓✓ BBB W',
      den: '1KDX XX XBXB XXX XXX W',
      vault: '1KDX XX XBXX XXX XXX W',
      recent: '1KDX XX XBXB XXX XXX W',
      ruin: '1KDX XX XXXX XXX XXX W',
      direct: '1KDX XX XBXX XXX XXX W',
    },
  },
]

const places = ['plaza', 'market', 'den', 'vault', 'recent', 'ruin', 'direct'] as const

export const messageRows: Row[] = actionRows.flatMap((action) =>
  places.map((place) => ({
    does: `${action.does}: a message in ${place}`,
    operation: action.operation,
    request: requestFor(action, place),
    outcomes: action.outcomes[place],
    refusals: action.refusals,
    hides: action.operation.method === 'PATCH' ? 'message_id' : undefined,
  })),
)

function requestFor({ request, consumes }: ActionRow, place: PlaceName): Row['request'] {
  const target = ({ plaza, market }: Stage) => (place === 'plaza' ? market : plaza).stream_id
  if (!consumes) return (stage) => request(stage[place].message_id, target(stage))
  return async (stage, caller) => request(await newMessage(stage, place, caller), target(stage))
}

/** A message to consume. The existing one where it matters that the caller subscribed after it. */
async function newMessage(stage: Stage, place: PlaceName, caller: Caller): Promise<number> {
  const isOld = place === 'vault' && caller !== 'IN'
  if (isOld || place === 'ruin') return stage[place].message_id
  if (place === 'direct') return stage.ann.sends({ to: [stage.actors.IN] })
  return stage.ann.sends({ channel: stage[place].name, topic: 'new topic of Ann' })
}

/** A message from the caller in the plaza; from Ann, where the caller cannot send. */
export async function ownMessage(stage: Stage, caller: Caller): Promise<number> {
  const canWrite = !['AN', 'FK', 'DE', 'XR', 'BI'].includes(caller)
  const actor = canWrite ? stage.actors[(caller === 'LG' ? 'GU' : caller) as 'GU'] : stage.ann
  return actor.sends({ channel: stage.plaza.name, topic: 'own topic' })
}
