import { isGuest } from '../groups/permission.ts'
import type { Db } from '../platform/db/pool.ts'
import { ApiError } from '../platform/http/api-error.ts'
import type { Caller } from '../users/caller.ts'
import { readBot } from './queries.ts'

/** The channel a bot sends to where it names none. */
export async function defaultDestination(db: Db, caller: Caller, type: string): Promise<string> {
  const isToChannel = type === 'stream' || type === 'channel'
  const bot = caller.bot_type !== null && isToChannel ? await readBot(db, caller.realm_id, caller.id) : undefined
  if (bot?.sending) return bot.sending.name
  throw isToChannel
    ? new ApiError("Missing channel: 'to' must be its name or id.")
    : new ApiError("Missing 'to' argument", 'REQUEST_VARIABLE_MISSING', { fields: { var_name: 'to' } })
}

interface Wishes {
  all_public_streams?: boolean
  narrow: unknown[] | null
}

/** What a bot's owner chose for its queues holds where the bot itself does not say. */
export async function withBotDefaults<W extends Wishes>(db: Db, caller: Caller, wishes: W): Promise<W> {
  const bot = caller.bot_type === null ? undefined : await readBot(db, caller.realm_id, caller.id)
  if (!bot) return wishes
  return {
    ...wishes,
    all_public_streams: wishes.all_public_streams ?? (bot.default_all_public_streams && !isGuest(caller)),
    narrow: !wishes.narrow?.length && bot.events ? [['stream', bot.events.name]] : wishes.narrow,
  }
}
