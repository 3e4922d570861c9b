import type { ShownMessage } from '@parley/client/messages/cache'
import type { Session } from '@parley/client/session/session'
import { linkTo } from '../messages/links.ts'
import { sourceOf } from '../messages/source.ts'
import { t } from '../platform/i18n.ts'

/** A message as a quotation with its author and a link, ready to be answered. */
export async function quoteOf(session: Session, message: ShownMessage): Promise<string> {
  const source = await sourceOf(session, message)
  const fence = fenceFor(source)
  const link = linkTo(message, session.viewerId, session.store!)
  const author = `@_**${message.sender_full_name}|${message.sender_id}**`
  return `${t('compose.quoteIntro', { author, link })}\n${fence}quote\n${source}\n${fence}\n`
}

/** Longer than any fence inside. */
export function fenceFor(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/^`{3,}/gm)].map(([fence]) => fence.length))
  return '`'.repeat(longest + 1)
}
