import { type Caller, loadCaller } from '../../../callers/caller.ts'
import type { StoredMessage } from '../../../events/event-json.ts'
import type { Audience } from '../../../events/log.ts'
import type { Tx } from '../../../events/transact.ts'
import { findUser } from '../../../people/users/find-users.ts'
import { hasPublicGravatar } from '../../../people/users/user-object.ts'
import { column } from '../../../platform/db/query.ts'
import { readPersonal } from '../edit/event-flags.ts'
import { messageObjects } from '../fetch/message-objects.ts'
import type { Conversation } from '../model/audience.ts'
import { excepting, guestsWhoCannotSee } from '../model/unknown-senders.ts'
import { unknownSender } from '../send/prepare.ts'

interface Restored {
  id: number
  sender_id: number
  conversation: Conversation
  audience: Audience
}

/**
 * Emits the message like a new one, with the id that it had: the event that every client understands. Bots are left out,
 * because they have answered it before.
 */
export async function emitRestored(tx: Tx, caller: Caller, restored: Restored): Promise<void> {
  const { id, sender_id, conversation, audience } = restored
  const sender = (await loadCaller(tx.db, caller.state, sender_id))!
  const from = conversation.channel ? await guestsWhoCannotSee(tx.db, sender, conversation.channel.id) : []
  const personal = {
    ...(await readPersonal(tx, { id, audience })),
    ...(from.length > 0 && { hidden: { from, instead: unknownSender({ sender, realm: caller.realm }) } }),
  }
  tx.emitMessage(await storedMessage(tx, caller, id), excepting(audience, await botsIn(tx, audience)), personal)
}

async function storedMessage(tx: Tx, caller: Caller, id: number): Promise<StoredMessage> {
  const form = { client_gravatar: false, allow_empty_topic_name: true, is_zulip_client: false }
  const [html] = await messageObjects(tx.db, caller, [id], { ...form, apply_markdown: true })
  const [{ flags: _, edit_history: __, content_type: ___, ...message }] = (await messageObjects(tx.db, caller, [id], {
    ...form,
    apply_markdown: false,
  })) as [typeof html & object]
  const sender = await findUser(tx.db, caller.state, message.sender_id)
  return {
    ...message,
    stream_id: message.stream_id,
    avatar_url: message.avatar_url!,
    rendered_content: html!.content,
    avatar_is_public_gravatar: hasPublicGravatar(sender!),
  }
}

async function botsIn(tx: Tx, { users = [], channel }: Audience): Promise<number[]> {
  return column<number>(tx.db)`
    select u.id from users u
     where u.realm_id = ${tx.realmId} and u.bot_type is not null and u.is_active
       and (u.id = any(${users}::bigint[]) or exists (
         select 1 from subscriptions s
          where s.realm_id = u.realm_id and s.user_id = u.id and s.channel_id = ${channel ?? null} and s.is_active))
     order by u.id`
}
