import { roles } from '@parley/api/common'
import { operations } from '@parley/api/operations'
import type { Stage } from './callers.ts'
import { ownMessage } from './message-rows.ts'
import type { Row } from './row.ts'

let count = 0
const fresh = () => `name${90_000 + ++count}`
const newMember = async ({ add }: Stage) => ({ user_id: (await add(fresh())).id })
const newOwner = async ({ add }: Stage) => ({ user_id: (await add(fresh(), roles.owner)).id })

const badQueue = { msg: 'Bad event queue ID: {queue}', code: 'BAD_EVENT_QUEUE_ID', queue_id: '{queue}' }

type ActionRow = Omit<Row, 'operation'> & { operation: unknown }

/** Requests whose outcome depends on more than the place: on who owns the object, and on how much would change. */
const actionRows: ActionRow[] = [
  {
    does: "poll another's queue",
    operation: operations.getEvents,
    request: ({ queueOfAnn }) => ({ queue_id: queueOfAnn, dont_block: true }),
    outcomes: '1KDB BB BBBB BBB BBB W',
    refusals: { B: badQueue },
  },
  {
    does: "delete another's queue",
    operation: operations.deleteQueue,
    request: ({ queueOfAnn }) => ({ queue_id: queueOfAnn }),
    outcomes: '1KDB BB BBBB BBB BBB W',
    refusals: { B: badQueue },
  },
  {
    does: 'edit an own message',
    operation: operations.editMessage,
    request: async (stage, caller) => ({ path: { message_id: await ownMessage(stage, caller) }, content: 'better' }),
    outcomes: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  },
  {
    does: 'delete an own message',
    operation: operations.deleteMessage,
    request: async (stage, caller) => ({ path: { message_id: await ownMessage(stage, caller) } }),
    outcomes: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  },
  {
    does: 'type an edit of an own message',
    operation: operations.setEditTypingStatus,
    request: async (stage, caller) => ({ path: { message_id: await ownMessage(stage, caller) }, op: 'start' }),
    outcomes: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  },
  {
    does: 'make a moderator',
    operation: operations.updateUser,
    request: async (stage) => ({ path: await newMember(stage), role: roles.moderator }),
    outcomes: '1KDX UU UUUU U✓✓ UUU W',
  },
  {
    does: 'make an owner',
    operation: operations.updateUser,
    request: async (stage) => ({ path: await newMember(stage), role: roles.owner }),
    outcomes: '1KDX UU UUUU UO✓ UUU W',
  },
  {
    does: 'demote an owner',
    operation: operations.updateUser,
    request: async (stage) => ({ path: await newOwner(stage), role: roles.member }),
    outcomes: '1KDX UU UUUU UO✓ UUU W',
  },
  {
    does: 'change an email address without the grant',
    operation: operations.updateUser,
    request: async (stage) => ({ path: await newMember(stage), new_email: `${fresh()}@example.com` }),
    outcomes: '1KDX UU UUUU UBB UUU W',
    refusals: { B: 'You do not have permission to change the email addresses of other users.' },
  },
  {
    does: 'deactivate an owner',
    operation: operations.deactivateUser,
    request: async (stage) => ({ path: await newOwner(stage) }),
    outcomes: '1KDX UU UUUU UO✓ UUU W',
  },
  {
    does: 'suspend an owner',
    operation: operations.suspendUser,
    request: async (stage) => ({ path: await newOwner(stage), until: Math.floor(Date.now() / 1000) + 3600 }),
    outcomes: '1KDX UU UUUU UO✓ UUU W',
  },
  {
    does: 'revoke the keys of an owner',
    operation: operations.revokeUserKeys,
    request: async (stage) => ({ path: await newOwner(stage) }),
    outcomes: '1KDX UU UUUU UO✓ UUU W',
  },
  {
    does: 'look at a user in a shared channel',
    operation: operations.getUser,
    request: ({ ann }) => ({ path: { user_id: ann.id } }),
    outcomes: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  },
  {
    does: 'look at a deactivated user',
    operation: operations.getUser,
    request: ({ actors }) => ({ path: { user_id: actors.DE.id } }),
    outcomes: '1KDX ✓X ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  },
  {
    does: 'send a direct message to Ann',
    operation: operations.sendMessage,
    request: ({ ann }) => ({ type: 'direct', to: [ann.id], content: 'x' }),
    outcomes: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ ✓',
  },
  {
    does: 'schedule a direct message to Ben',
    operation: operations.scheduleMessage,
    request: ({ ben }) => ({
      type: 'direct',
      to: [ben.id],
      content: 'x',
      scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) + 3600,
    }),
    outcomes: '1KDX ✓X ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  },
  {
    does: 'draft a direct message to Ben',
    operation: operations.createDrafts,
    request: ({ ben }) => ({ drafts: [{ type: 'private', to: [ben.id], topic: '', content: 'x' }] }),
    outcomes: '1KDX ✓X ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  },
  {
    does: 'search the direct messages of Ben',
    operation: operations.getMessages,
    request: ({ ben }) => ({
      anchor: 'newest',
      num_before: 1,
      num_after: 0,
      narrow: [{ operator: 'dm', operand: [ben.id] }],
    }),
    outcomes: '1KDX ✓X ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  },
  {
    does: 'search for what Ben sent',
    operation: operations.getMessages,
    request: ({ ben }) => ({
      anchor: 'newest',
      num_before: 1,
      num_after: 0,
      narrow: [{ operator: 'sender', operand: ben.id }],
    }),
    outcomes: '1KDX ✓X ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  },
  {
    does: 'type to Ann',
    operation: operations.setTypingStatus,
    request: ({ ann }) => ({ op: 'start', to: [ann.id] }),
    outcomes: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  },
  {
    does: 'mention Ben in a preview',
    operation: operations.renderMessage,
    request: ({ ben }) => ({ content: `@_**|${ben.id}**` }),
    outcomes: '1KDa ✓a ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  },
  {
    does: 'link to the den in a preview',
    operation: operations.renderMessage,
    request: ({ den }) => ({ content: `#**${den.name}**` }),
    outcomes: '1KD✓ ✓✓ ✓a✓a ✓✓✓ ✓✓✓ W',
  },
  {
    does: "remove another's push token",
    operation: operations.removeFcmToken,
    request: async ({ ann }) => {
      await ann.does(operations.addFcmToken, { token: 'a-token-of-ann' })
      return { token: 'a-token-of-ann' }
    },
    outcomes: '1KDB BB BBBB BBB TTT W',
    refusals: { B: 'Token does not exist' },
  },
  {
    does: 'deactivate an emoji that does not exist',
    operation: operations.deactivateEmoji,
    request: () => ({ path: { emoji_name: 'none' } }),
    outcomes: '1KDX XX XXXX XXX XXX W',
  },
  {
    does: 'give Ben a bot',
    operation: operations.updateBot,
    request: async ({ ann, ben }) => {
      const bot = await ann.does(operations.createBot, { full_name: fresh(), short_name: fresh() })
      return { path: { bot_id: bot.user_id }, bot_owner_id: ben.id }
    },
    outcomes: '1KDX GG PPPP P✓✓ TTT W',
  },
  {
    does: 'manage an incoming-webhook bot of Ann',
    operation: operations.getBotApiKey,
    request: ({ actors }) => ({ path: { bot_id: actors.BI.id } }),
    outcomes: '1KDX GG PPPP P✓✓ TTT W',
  },
  {
    does: 'remove Ann from the group of moderators',
    operation: operations.updateUserGroupMembers,
    request: async ({ ann, ctx, realmId }) => {
      const { realm } = await ctx.realms.get(realmId)
      return { path: { user_group_id: realm.systemGroups['role:moderators'] }, delete: [ann.id] }
    },
    outcomes: '1KDX PP PPPP PPP PPP W',
  },
]

export const peopleRows = actionRows as Row[]
