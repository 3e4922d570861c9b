import type { Operation } from '@parley/api/operation'
import { operations } from '@parley/api/operations'
import type { Stage, StageChannel } from './callers.ts'
import type { Refusals } from './refusals.ts'
import type { Values } from './request.ts'
import type { Row } from './row.ts'

const places = ['plaza', 'market', 'den', 'vault', 'ruin'] as const
type PlaceName = (typeof places)[number]

interface ActionRow {
  does: string
  operation: Operation
  request: (place: StageChannel, stage: Stage) => Values
  refusals?: Refusals
  hides?: string
  outcomes: Record<PlaceName, string>
}

let topics = 0
const freshTopic = () => `topic ${++topics}`
const newest = { anchor: 'newest', num_before: 1, num_after: 0, client_gravatar: false }
const narrowTo = (operand: number | string) => [
  { operator: 'channel', operand },
  { operator: 'topic', operand: 'old topic' },
]
const message = { topic: 'new topic', content: 'x' }
const pinned = { property: 'pin_to_top', value: true }
const soon = () => Math.floor(Date.now() / 1000) + 3600

/** Requests about a channel of every kind. The columns are those of callers.ts. */
const actionRows: ActionRow[] = [
  {
    does: 'look at',
    operation: operations.getChannel as Operation,
    request: ({ stream_id }) => ({ path: { stream_id } }),
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓X✓ X✓✓ XXX W',
      vault: '1KDX XX X✓X✓ X✓✓ XXX W',
      ruin: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
    },
  },
  {
    does: 'get the id of',
    operation: operations.getChannelId as Operation,
    request: ({ name }) => ({ stream: name }),
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓X✓ X✓✓ XXX W',
      vault: '1KDX XX X✓X✓ X✓✓ XXX W',
      ruin: '1KDX XX XXXX XXX XXX W',
    },
  },
  {
    does: 'list the subscribers of',
    operation: operations.getChannelMembers as Operation,
    request: ({ stream_id }) => ({ path: { stream_id } }),
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓X✓ X✓✓ XXX W',
      vault: '1KDX XX X✓X✓ X✓✓ XXX W',
      ruin: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
    },
  },
  {
    does: 'list the topics of',
    operation: operations.getTopics as Operation,
    request: ({ stream_id }) => ({ path: { stream_id } }),
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓X✓ XXX XXX W',
      vault: '1KDX XX X✓Xa XXX XXX W',
      ruin: '1KDX XX XXXX XXX XXX W',
    },
  },
  {
    does: 'list what is pinned to',
    operation: operations.getChannelPins as Operation,
    request: ({ stream_id }) => ({ path: { stream_id } }),
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓X✓ XXX XXX W',
      vault: '1KDX XX X✓X✓ XXX XXX W',
      ruin: '1KDX XX XXXX XXX XXX W',
    },
  },
  {
    does: 'pin a link to',
    operation: operations.createChannelPin as Operation,
    request: ({ stream_id }) => ({ path: { stream_id }, url: 'https://example.com', title: 'Build status' }),
    hides: 'stream_id',
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓X✓ XXX XXX W',
      vault: '1KDX XX X✓X✓ XXX XXX W',
      ruin: '1KDX XX XXXX XXX XXX W',
    },
  },
  {
    does: 'get the email address of',
    operation: operations.getChannelEmail as Operation,
    request: ({ stream_id }) => ({ path: { stream_id } }),
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓X✓ XXX XXX W',
      vault: '1KDX XX X✓X✓ XXX XXX W',
      ruin: '1KDX XX XXXX XXX XXX W',
    },
  },
  {
    does: 'see whether Ann is in',
    operation: operations.getSubscriptionStatus as Operation,
    request: ({ stream_id }, { ann }) => ({ path: { user_id: ann.id, stream_id } }),
    hides: 'stream_id',
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓X✓ X✓✓ XXX W',
      vault: '1KDX XX X✓X✓ X✓✓ XXX W',
      ruin: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
    },
  },
  {
    does: 'search by id in',
    operation: operations.getMessages as Operation,
    request: ({ stream_id }) => ({ ...newest, narrow: narrowTo(stream_id) }),
    outcomes: {
      plaza: '1KDX ✓a ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓a✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓Xa Xbb XXX W',
      vault: '1KDX XX X✓Xa Xaa XXX W',
      ruin: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
    },
  },
  {
    does: 'search by name in',
    operation: operations.getMessages as Operation,
    request: ({ name }) => ({ ...newest, narrow: narrowTo(name) }),
    outcomes: {
      plaza: '1KDX ✓a ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓a✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓Xa Xbb XXX W',
      vault: '1KDX XX X✓Xa Xaa XXX W',
      ruin: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
    },
  },
  {
    does: 'register a queue for',
    operation: operations.register as Operation,
    request: ({ name }) => ({ event_types: ['message'], fetch_event_types: [], narrow: [['channel', name]] }),
    outcomes: {
      plaza: '1KDx xx xxxx xxx xxx W',
      market: '1KDx xx xxxx xxx xxx W',
      den: '1KDx xx xxxx xxx xxx W',
      vault: '1KDx xx xxxx xxx xxx W',
      ruin: '1KDx xx xxxx xxx xxx W',
    },
  },
  {
    does: 'send by id to',
    operation: operations.sendMessage as Operation,
    request: ({ stream_id }) => ({ ...message, type: 'stream', to: stream_id }),
    refusals: { B: "Not authorized to send to channel '{channel name}'" },
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ ✓',
      market: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ ✓',
      den: '1KDX XX X✓X✓ XBB ✓✓✓ ✓',
      vault: '1KDX XX X✓X✓ XBB ✓✓✓ ✓',
      ruin: '1KDX BB BBBB BBB BBB B',
    },
  },
  {
    does: 'send by name to',
    operation: operations.sendMessage as Operation,
    request: ({ name }) => ({ ...message, type: 'stream', to: name }),
    refusals: { B: "Not authorized to send to channel '{channel name}'" },
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ ✓',
      market: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ ✓',
      den: '1KDX XX X✓X✓ XBB ✓✓✓ ✓',
      vault: '1KDX XX X✓X✓ XBB ✓✓✓ ✓',
      ruin: '1KDX BB BBBB BBB BBB B',
    },
  },
  {
    does: 'schedule a message to',
    operation: operations.scheduleMessage as Operation,
    request: ({ stream_id }) => ({ ...message, type: 'stream', to: stream_id, scheduled_delivery_timestamp: soon() }),
    refusals: { B: "Not authorized to send to channel '{channel name}'" },
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓X✓ XBB ✓✓✓ W',
      vault: '1KDX XX X✓X✓ XBB ✓✓✓ W',
      ruin: '1KDX BB BBBB BBB BBB W',
    },
  },
  {
    does: 'draft a message to',
    operation: operations.createDrafts as Operation,
    request: ({ stream_id }) => ({ drafts: [{ ...message, type: 'stream', to: [stream_id] }] }),
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓X✓ XXX XXX W',
      vault: '1KDX XX X✓X✓ XXX XXX W',
      ruin: '1KDX XX XXXX XXX XXX W',
    },
  },
  {
    does: 'type in',
    operation: operations.setTypingStatus as Operation,
    request: ({ stream_id }) => ({ type: 'stream', op: 'start', stream_id, topic: 'x' }),
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓X✓ XXX XXX W',
      vault: '1KDX XX X✓X✓ XXX XXX W',
      ruin: '1KDX XX XXXX XXX XXX W',
    },
  },
  {
    does: 'mark as read',
    operation: operations.markChannelAsRead as Operation,
    request: ({ stream_id }) => ({ stream_id }),
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓X✓ XXX XXX W',
      vault: '1KDX XX X✓X✓ XXX XXX W',
      ruin: '1KDX XX XXXX XXX XXX W',
    },
  },
  {
    does: 'mark as read a topic of',
    operation: operations.markTopicAsRead as Operation,
    request: ({ stream_id }) => ({ stream_id, topic_name: 'old topic' }),
    refusals: { B: "No such topic 'old topic'" },
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓X✓ XXX XXX W',
      vault: '1KDX XX X✓XB XXX XXX W',
      ruin: '1KDX XX XXXX XXX XXX W',
    },
  },
  {
    does: 'follow a topic of',
    operation: operations.setTopicPolicy as Operation,
    request: ({ stream_id }) => ({ stream_id, topic: 'old topic', visibility_policy: 3 }),
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓X✓ XXX XXX W',
      vault: '1KDX XX X✓X✓ XXX XXX W',
      ruin: '1KDX XX XXXX XXX XXX W',
    },
  },
  {
    does: 'mute a topic of',
    operation: operations.muteTopic as Operation,
    request: ({ stream_id }) => ({ stream_id, topic: freshTopic(), op: 'add' }),
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      den: '1KDX XX X✓X✓ XXX XXX W',
      vault: '1KDX XX X✓X✓ XXX XXX W',
      ruin: '1KDX XX XXXX XXX XXX W',
    },
  },
  {
    does: 'pin',
    operation: operations.updateSubscription as Operation,
    request: ({ stream_id }) => ({ path: { stream_id }, ...pinned }),
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX X✓XX XXX XXX W',
      den: '1KDX XX X✓X✓ XXX XXX W',
      vault: '1KDX XX X✓X✓ XXX XXX W',
      ruin: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
    },
  },
  {
    does: 'pin in a list',
    operation: operations.updateSubscriptionProperties as Operation,
    request: ({ stream_id }) => ({ subscription_data: [{ stream_id, ...pinned }] }),
    outcomes: {
      plaza: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
      market: '1KDX XX X✓XX XXX XXX W',
      den: '1KDX XX X✓X✓ XXX XXX W',
      vault: '1KDX XX X✓X✓ XXX XXX W',
      ruin: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
    },
  },
  {
    does: 'describe',
    operation: operations.updateChannel as Operation,
    request: ({ stream_id }) => ({ path: { stream_id }, description: freshTopic() }),
    refusals: { B: 'You do not have permission to administer this channel.' },
    outcomes: {
      plaza: '1KDX BB BBBB B✓✓ BBB W',
      market: '1KDX XX BBBB B✓✓ BBB W',
      den: '1KDX XX XBXB X✓✓ XXX W',
      vault: '1KDX XX XBXB X✓✓ XXX W',
      ruin: '1KDX BB BBBB BXX BBB W',
    },
  },
  {
    does: 'delete a topic of',
    operation: operations.deleteTopic as Operation,
    request: ({ stream_id }) => ({ path: { stream_id }, topic_name: freshTopic() }),
    outcomes: {
      plaza: '1KDX UU UUUU U✓✓ UUU W',
      market: '1KDX UU UUUU U✓✓ UUU W',
      den: '1KDX UU UUUU UXX UUU W',
      vault: '1KDX UU UUUU UXX UUU W',
      ruin: '1KDX UU UUUU UXX UUU W',
    },
  },
  {
    does: 'make a default of',
    operation: operations.addDefaultChannel as Operation,
    request: ({ stream_id }) => ({ stream_id }),
    outcomes: {
      plaza: '1KDX UU UUUU U✓✓ UUU W',
      market: '1KDX UU UUUU U✓✓ UUU W',
      den: '1KDX UU UUUU UXX UUU W',
      vault: '1KDX UU UUUU UXX UUU W',
      ruin: '1KDX UU UUUU UXX UUU W',
    },
  },
  {
    does: 'remove from the defaults',
    operation: operations.removeDefaultChannel as Operation,
    request: ({ stream_id }) => ({ stream_id }),
    outcomes: {
      plaza: '1KDX UU UUUU U✓✓ UUU W',
      market: '1KDX UU UUUU U✓✓ UUU W',
      den: '1KDX UU UUUU UXX UUU W',
      vault: '1KDX UU UUUU UXX UUU W',
      ruin: '1KDX UU UUUU UXX UUU W',
    },
  },
  {
    does: 'subscribe to',
    operation: operations.subscribe as Operation,
    request: ({ name }, { ben }) => ({ subscriptions: [{ name }], principals: [ben.id] }),
    refusals: { B: 'Unable to access channel ({channel name})', C: 'No such user: {ben}' },
    hides: 'nothing',
    outcomes: {
      plaza: '1KDC GG ✓aaa aaa aaa W',
      market: '1KDC GG ✓aaa aaa aaa W',
      den: '1KDC GG B✓Ba BBB BBB W',
      vault: '1KDC GG B✓Ba BBB BBB W',
      ruin: '1KDC GG BBBB BBB BBB W',
    },
  },
  {
    does: 'unsubscribe from',
    operation: operations.unsubscribe as Operation,
    request: ({ name }, { ben }) => ({ subscriptions: [name], principals: [ben.id] }),
    refusals: { B: 'You do not have permission to unsubscribe others.' },
    hides: 'subscriptions',
    outcomes: {
      plaza: '1KDX BB BBBB B✓a BBB W',
      market: '1KDX XX BBBB B✓a BBB W',
      den: '1KDX XX XBXB X✓a XXX W',
      vault: '1KDX XX XBXB X✓a XXX W',
      ruin: '1KDX XX XXXX XXX XXX W',
    },
  },
]

export const channelRows: Row[] = actionRows.flatMap(({ does, operation, request, refusals, hides, outcomes }) =>
  places.map((place) => ({
    does: `${does}: ${place}`,
    operation,
    request: (stage: Stage) => request(stage[place], stage),
    outcomes: outcomes[place],
    refusals,
    hides,
  })),
)
