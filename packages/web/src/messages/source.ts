import type { ShownMessage } from '@parley/client/messages/cache'
import type { Session } from '@parley/client/session/session'
import { ParleyError } from '@parley/client/wire/errors'
import { plainSource } from '../rendered/plain-text.ts'

/** A message as it was typed. Without the server, only if it was written here, or is plain text. */
export async function sourceOf({ client }: Session, message: ShownMessage): Promise<string> {
  if (message.source !== undefined) return message.source
  const params = { path: { message_id: message.id }, apply_markdown: false, allow_empty_topic_name: true }
  try {
    return (await client.call('getMessage', params)).message.content
  } catch (error) {
    const plain = error instanceof ParleyError ? undefined : plainSource(message.content)
    if (plain === undefined) throw error
    return plain
  }
}
