import { sql } from 'kysely'
import type { Audience } from '../events/log.ts'
import { sharedStep } from '../events/shared-step.ts'
import type { Tx } from '../events/transact.ts'
import type { Message } from '../messages/model/access.ts'
import { audienceOf } from '../messages/model/audience.ts'
import { flagBits } from '../messages/model/flag-bits.ts'
import type { Changing } from '../messages/model/lock-message.ts'
import { received } from '../messages/model/read-state.ts'
import { joinMessage } from '../messages/model/received.ts'
import { excepting, guestsWhoCannotSee } from '../messages/model/unknown-senders.ts'
import { allDone } from '../platform/db/pipelined.ts'
import { many } from '../platform/db/query.ts'
import { valueRows } from '../platform/db/value-rows.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { fakeDomain } from '../realms/state.ts'
import { policyAfterTakingPart } from '../topics/automatic-policies.ts'
import type { Caller } from '../users/caller.ts'
import { findUsers } from '../users/find-users.ts'
import { unknownUser } from '../users/queries.ts'
import { apiEmail } from '../users/user-object.ts'
import { ReactionAlreadyExists, reactionColumns } from './access.ts'
import type { Emoji } from './emoji.ts'

class ReactionDoesNotExist extends ApiError {
  constructor() {
    super("Reaction doesn't exist.", 'REACTION_DOES_NOT_EXIST')
  }
}

export async function addReaction(tx: Tx, actor: Caller, { message, conversation }: Changing, emoji: Emoji) {
  const [isAdded, audience] = await allDone([
    insertReaction(tx, { ...emoji, message_id: message.id, user_id: actor.id }),
    audienceOf(tx, conversation, [message.id]),
  ] as const)
  if (!isAdded) throw new ReactionAlreadyExists()
  await emitReaction(tx, actor, message, audience, 'add', emoji)
  if (message.channel_id !== null)
    await policyAfterTakingPart(tx, actor, { topicId: message.topic_id!, channelId: message.channel_id })
}

interface Reaction extends Omit<Emoji, 'emoji_name'> {
  message_id: number
  user_id: number
}

/**
 * Reacting to a message of public history also adds it to the actor's messages, as historical. False if the reaction
 * exists: two tabs may race, and the unique index decides.
 */
const insertReaction = sharedStep(async (tx, reactions: (Reaction & { emoji_name: string })[]) => {
  const added = await many<Reaction>(tx.db)`
    with added as (
      insert into reactions (realm_id, message_id, user_id, emoji_name, emoji_code, reaction_type)
      select ${tx.realmId}, message_id, user_id, emoji_name, emoji_code, reaction_type
        from ${valueRows('k', reactions, { ...reactionColumns, emoji_name: 'text' })}
      on conflict do nothing
      returning message_id, user_id, emoji_code, reaction_type
    ), kept as (
      insert into message_flags (realm_id, user_id, message_id, flags)
      select m.realm_id, a.user_id, m.id, ${sql.lit(flagBits.historical)}
        from added a ${joinMessage(tx.realmId, sql`a.message_id`)}
        left join message_flags f on f.realm_id = m.realm_id and f.user_id = a.user_id and f.message_id = m.id
       where not ${received({ id: sql`a.user_id`, realm_id: tx.realmId })}
      on conflict do nothing
    )
    select * from added`
  return reactions.map((reaction) => added.some((row) => isSame(row, reaction)))
})

const deleteReaction = sharedStep(async (tx, reactions: Reaction[]) => {
  const removed = await many<Reaction & { emoji_name: string }>(tx.db)`
    delete from reactions r using ${valueRows('k', reactions, reactionColumns)}
     where r.realm_id = ${tx.realmId} and r.message_id = k.message_id and r.user_id = k.user_id
       and r.reaction_type = k.reaction_type and r.emoji_code = k.emoji_code
    returning r.message_id, r.user_id, r.emoji_code, r.reaction_type, r.emoji_name`
  return reactions.map((reaction) => removed.find((row) => isSame(row, reaction)))
})

function isSame(a: Reaction, b: Reaction): boolean {
  const isSameEmoji = a.reaction_type === b.reaction_type && a.emoji_code === b.emoji_code
  return isSameEmoji && a.message_id === b.message_id && a.user_id === b.user_id
}

export async function removeReaction(
  tx: Tx,
  actor: Caller,
  { message, conversation }: Changing,
  emoji: Omit<Emoji, 'emoji_name'>,
) {
  const [removed, audience] = await allDone([
    deleteReaction(tx, { ...emoji, message_id: message.id, user_id: actor.id }),
    audienceOf(tx, conversation, [message.id]),
  ] as const)
  if (!removed) throw new ReactionDoesNotExist()
  await emitReaction(tx, actor, message, audience, 'remove', { ...emoji, emoji_name: removed.emoji_name })
}

async function emitReaction(
  tx: Tx,
  actor: Caller,
  message: Message,
  audience: Audience,
  op: 'add' | 'remove',
  { emoji_name, emoji_code, reaction_type }: Emoji,
): Promise<void> {
  const [self] = await findUsers(tx.db, actor.state, [actor.id])
  const user = { user_id: actor.id, email: apiEmail(self!, fakeDomain(actor.realm)), full_name: actor.full_name }
  const reaction = { message_id: message.id, user_id: actor.id, user, emoji_name, emoji_code, reaction_type }
  const hiddenFrom = audience.channel !== undefined ? await guestsWhoCannotSee(tx.db, actor, audience.channel) : []
  tx.emit({ type: 'reaction', op, ...reaction }, excepting(audience, hiddenFrom))
  if (hiddenFrom.length > 0)
    tx.emit({ type: 'reaction', op, ...reaction, user: unknownReactor(actor) }, { users: hiddenFrom })
}

function unknownReactor(actor: Caller) {
  const { user_id, email, full_name } = unknownUser(actor.id, actor)
  return { user_id, email, full_name }
}
