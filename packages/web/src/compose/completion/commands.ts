import type { Command as BotCommand } from '@parley/api/delivery/bot-commands'
import type { Destination } from '@parley/client/session/outbox'
import type { Session } from '@parley/client/session/session'
import { errorText } from '../../platform/error-text.ts'
import { showToast } from '../../ui/toast.tsx'

export type Command = BotCommand & { bot_id: number }

/** By channel; direct messages have the key 0. */
const known = new WeakMap<Session, Map<number, readonly Command[]>>()

const channelIn = (destination: Destination | undefined) =>
  destination && 'stream_id' in destination ? destination.stream_id : 0

/** The commands of bots in a place. They are loaded when the first is typed there, and empty until then. */
export function commandsFor(
  session: Session,
  destination: Destination | undefined,
  loaded: () => void,
): readonly Command[] {
  const ofSession = known.get(session) ?? new Map<number, readonly Command[]>()
  known.set(session, ofSession)
  const channel = channelIn(destination)
  const found = ofSession.get(channel)
  if (found) return found
  ofSession.set(channel, [])
  session.client
    .call('getCommands', channel === 0 ? {} : { stream_id: channel })
    .then(({ commands }) => ofSession.set(channel, commands as Command[]))
    .then(loaded, () => ofSession.delete(channel))
  return []
}

interface Run {
  command: string
  bot_id?: number
  text: string
}

/** The command that a text runs, if it begins with one of a bot. */
export function commandIn(session: Session, destination: Destination, content: string): Run | undefined {
  const [, name, text = ''] = /^\/([\w-]+)(?:\s+([\s\S]*))?$/.exec(content) ?? []
  const all = known.get(session)?.get(channelIn(destination)) ?? []
  const [found, another] = all.filter((one) => one.name === name)
  // Where several bots offer it, the server asks which one is meant.
  return found && { command: found.name, ...(!another && { bot_id: found.bot_id }), text }
}

/** Returns whether the bot was called. */
export async function runCommand(session: Session, destination: Destination, run: Run): Promise<boolean> {
  const place =
    'stream_id' in destination
      ? { stream_id: destination.stream_id, topic: destination.topic }
      : { to: destination.user_ids }
  try {
    await session.client.call('runCommand', { ...run, ...place })
    return true
  } catch (error) {
    showToast({ text: errorText(error), isError: true })
    return false
  }
}
