import { isGuest } from '@parley/api/permissions'
import type { Caller } from '../../callers/caller.ts'
import type { Db } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { readBot } from './queries.ts'

/** The channel to which a bot sends if it names none. */
export async function defaultDestination(db: Db, caller: Caller, type: string): Promise<string> {
  const isToChannel = type === 'stream' || type === 'channel'
  const bot = caller.bot_type !== null && isToChannel ? await readBot(db, caller.realm_id, caller.id) : undefined
  if (bot?.sending) return bot.sending.name
  throw isToChannel
    ? new ApiError("Missing channel: 'to' must be its name or id.")
    : new ApiError("Missing 'to' argument", 'REQUEST_VARIABLE_MISSING', { fields: { var_name: 'to' } })
}

interface RegisterParams {
  all_public_streams?: boolean
  narrow: unknown[] | null
}

/** Fills in the defaults that the bot's owner chose for parameters that the bot omits. */
export async function withBotDefaults<P extends RegisterParams>(db: Db, caller: Caller, params: P): Promise<P> {
  const bot = caller.bot_type === null ? undefined : await readBot(db, caller.realm_id, caller.id)
  if (!bot) return params
  return {
    ...params,
    all_public_streams: params.all_public_streams ?? (bot.default_all_public_streams && !isGuest(caller)),
    narrow: !params.narrow?.length && bot.events ? [['stream', bot.events.name]] : params.narrow,
  }
}
