import { sql } from 'kysely'
import type { Tx } from '../events/transact.ts'
import { audienceOf } from '../messages/model/audience.ts'
import { flagBits } from '../messages/model/flag-bits.ts'
import type { Changing } from '../messages/model/lock-message.ts'
import { received } from '../messages/model/read-state.ts'
import { excepting, guestsWhoCannotSee } from '../messages/model/unknown-senders.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { fakeDomain } from '../realms/state.ts'
import { policyAfterTakingPart } from '../topics/automatic-policies.ts'
import type { Caller } from '../users/caller.ts'
import { findUsers } from '../users/find-users.ts'
import { unknownUser } from '../users/queries.ts'
import { apiEmail } from '../users/user-object.ts'
import { ReactionAlreadyExists } from './access.ts'
import type { Emoji } from './emoji.ts'

class ReactionDoesNotExist extends ApiError {
  constructor() {
    super("Reaction doesn't exist.", 'REACTION_DOES_NOT_EXIST')
  }
}

export async function addReaction(tx: Tx, actor: Caller, { message, conversation }: Changing, emoji: Emoji) {
  const added = await tx.db
    .insertInto('reactions')
    .values({ realm_id: tx.realmId, message_id: message.id, user_id: actor.id, ...emoji })
    .onConflict((conflict) => conflict.doNothing()) // two tabs may race; the unique index decides
    .returning('user_id')
    .executeTakeFirst()
  if (!added) throw new ReactionAlreadyExists()
  await addHistoricalFlag(tx, actor, message.id)
  await emitReaction(tx, actor, { message, conversation }, 'add', emoji)
  if (message.channel_id !== null)
    await policyAfterTakingPart(tx, actor, { topicId: message.topic_id!, channelId: message.channel_id })
}

export async function removeReaction(
  tx: Tx,
  actor: Caller,
  { message, conversation }: Changing,
  emoji: Omit<Emoji, 'emoji_name'>,
) {
  const removed = await tx.db
    .deleteFrom('reactions')
    .where('realm_id', '=', tx.realmId)
    .where('message_id', '=', message.id)
    .where('user_id', '=', actor.id)
    .where('reaction_type', '=', emoji.reaction_type)
    .where('emoji_code', '=', emoji.emoji_code)
    .returning('emoji_name')
    .executeTakeFirst()
  if (!removed) throw new ReactionDoesNotExist()
  await emitReaction(tx, actor, { message, conversation }, 'remove', { ...emoji, emoji_name: removed.emoji_name })
}

/** Reacting to a message of public history adds it to the actor's messages, as historical. */
async function addHistoricalFlag(tx: Tx, actor: Caller, messageId: number): Promise<void> {
  await sql`
    insert into message_flags (realm_id, user_id, message_id, flags)
    select m.realm_id, ${actor.id}, m.id, ${sql.lit(flagBits.historical)}
      from messages m
      left join message_flags f on f.realm_id = m.realm_id and f.user_id = ${actor.id} and f.message_id = m.id
     where m.realm_id = ${tx.realmId} and m.id = ${messageId} and not ${received(actor)}
    on conflict do nothing`.execute(tx.db)
}

async function emitReaction(
  tx: Tx,
  actor: Caller,
  { message, conversation }: Changing,
  op: 'add' | 'remove',
  { emoji_name, emoji_code, reaction_type }: Emoji,
): Promise<void> {
  const [self] = await findUsers(tx.db, actor.state, [actor.id])
  const user = { user_id: actor.id, email: apiEmail(self!, fakeDomain(actor.realm)), full_name: actor.full_name }
  const audience = await audienceOf(tx.db, conversation, [message.id])
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
