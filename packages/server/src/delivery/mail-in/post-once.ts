import type { Caller } from '../../callers/caller.ts'
import { type Context, transactIn } from '../../context.ts'
import type { Sent } from '../../conversations/messages/send/send.ts'
import { policyAfterSending } from '../../conversations/topics/automatic-policies.ts'
import type { Tx } from '../../events/transact.ts'
import { knownUrlOf } from '../../organization/realms/hosts.ts'
import { type AcceptedEmail, lockAccepted, type MailOutcome, settle } from './accepted-emails.ts'

/** Stores the message and the outcome in one transaction, so that it is posted once. */
export async function postOnce(
  ctx: Context,
  email: AcceptedEmail,
  author: Caller,
  send: (tx: Tx) => Promise<Sent>,
): Promise<MailOutcome> {
  const sent = await transactIn(ctx, email.realm_id, async (tx) => {
    if (!(await lockAccepted(tx, email))) return undefined
    const message = await send(tx)
    await settle(tx, email, { outcome: 'sent', sent_message_id: message.id })
    return message
  })
  if (sent) await followTopic(ctx, author, sent)
  return { outcome: 'sent', sent_message_id: sent?.id ?? 0 }
}

/** As after every message. It is already sent, so that an error here changes nothing. */
async function followTopic(ctx: Context, author: Caller, sent: Sent): Promise<void> {
  await policyAfterSending(ctx, author, sent).catch((error: unknown) =>
    ctx.log.warn({ err: error }, 'Could not update the topic policies after an email.'),
  )
}

/** The URL under which the realm is reached, if the server knows it. */
export function realmUrlOf({ config }: Context, { realm }: Caller): { realmUrl?: string } {
  const url = knownUrlOf(config, realm)
  return url === undefined ? {} : { realmUrl: url }
}
