import { sql } from 'kysely'
import { apiEmail } from '../../callers/api-email.ts'
import type { Caller } from '../../callers/caller.ts'
import { fakeDomain } from '../../callers/realm-state.ts'
import { loader } from '../../events/commit/loader.ts'
import type { Audience } from '../../events/log.ts'
import type { Tx } from '../../events/transact.ts'
import type { Emoji } from '../../organization/emoji/built-in-emoji.ts'
import { findUsers } from '../../people/users/find-users.ts'
import { unknownUser } from '../../people/users/queries.ts'
import { allDone } from '../../platform/db/pipelined.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { Message } from '../messages/model/access.ts'
import { audienceOf } from '../messages/model/audience.ts'
import { flagBits } from '../messages/model/flag-bits.ts'
import type { Changing } from '../messages/model/lock-message.ts'
import { received } from '../messages/model/read-state.ts'
import { joinMessage } from '../messages/model/received.ts'
import { excepting, guestsWhoCannotSee } from '../messages/model/unknown-senders.ts'
import { policyAfterTakingPart } from '../topics/automatic-policies.ts'
import { ReactionAlreadyExists, reactionColumns } from './access.ts'

class ReactionDoesNotExist extends ApiError {
  constructor() {
    super("Reaction doesn't exist.", 'REACTION_DOES_NOT_EXIST')
  }
}

export async function addReaction(tx: Tx, actor: Caller, { message, conversation }: Changing, emoji: Emoji) {
  const [added, audience] = await allDone([
    insertReaction(tx, { ...emoji, message_id: message.id, user_id: actor.id }),
    audienceOf(tx, conversation, [message.id]),
  ] as const)
  if (added.length === 0) throw new ReactionAlreadyExists()
  await emitReaction(tx, actor, message, audience, 'add', emoji)
  if (message.channel_id !== null)
    await policyAfterTakingPart(tx, actor, { messageId: message.id, channelId: message.channel_id })
}

/**
 * Reacting to a message of public history also adds it to the actor's messages, as historical. No row if the reaction exists:
 * two tabs may race, and the unique index decides.
 */
const insertReaction = loader(
  { ...reactionColumns, emoji_name: 'text' },
  ({ realmId }, k) => sql<{ user_id: number }>`
    with added as (
      insert into reactions (realm_id, message_id, user_id, emoji_name, emoji_code, reaction_type)
      select ${realmId}, message_id, user_id, emoji_name, emoji_code, reaction_type from ${k}
      on conflict do nothing
      returning message_id, user_id
    ), kept as (
      insert into message_flags (realm_id, user_id, message_id, flags)
      select m.realm_id, a.user_id, m.id, ${sql.lit(flagBits.historical)}
        from added a ${joinMessage(realmId, sql`a.message_id`)}
        left join message_flags f on f.realm_id = m.realm_id and f.user_id = a.user_id and f.message_id = m.id
       where not ${received({ id: sql`a.user_id`, realm_id: realmId })}
      on conflict do nothing
    )
    select user_id from added`,
)

const deleteReaction = loader(
  reactionColumns,
  ({ realmId }, k) => sql<{ user_id: number; emoji_name: string }>`
    delete from reactions r using ${k}
     where r.realm_id = ${realmId} and r.message_id = k.message_id and r.user_id = k.user_id
       and r.reaction_type = k.reaction_type and r.emoji_code = k.emoji_code
    returning r.user_id, r.emoji_name`,
)

export async function removeReaction(
  tx: Tx,
  actor: Caller,
  { message, conversation }: Changing,
  emoji: Omit<Emoji, 'emoji_name'>,
) {
  const [[removed], audience] = await allDone([
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
