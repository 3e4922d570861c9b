import { type Caller, loadCaller } from '../../callers/caller.ts'
import { RealmCache } from '../../callers/realm-cache.ts'
import type { RealmState } from '../../callers/realm-state.ts'
import type { Context } from '../../context.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { hashKey } from '../../platform/secrets.ts'
import { accessIntegration } from './catalogue.ts'
import { findHookByToken, type HookRow } from './queries.ts'
import type { Receiver } from './receive-request.ts'

export class InvalidHook extends ApiError {
  constructor() {
    super('Invalid hook URL', 'UNAUTHORIZED')
  }
}

const tokenPattern = /^[\w-]{43}$/
const bots = new RealmCache<number, Caller>({ entries: 10_000 })

/** The hook with this token, with its active bot. */
export async function accessReceiver(ctx: Context, state: RealmState, token: string): Promise<Receiver> {
  const hook = tokenPattern.test(token) ? await findHookByToken(ctx.db, state.realm.id, hashKey(token)) : undefined
  if (!hook || state.realm.deactivated) throw new InvalidHook()
  return receiverOf(ctx, state, hook)
}

export async function receiverOf({ db }: Pick<Context, 'db'>, state: RealmState, hook: HookRow): Promise<Receiver> {
  const bot = await bots.getOrLoad(state, hook.bot_id, () => loadCaller(db, state, hook.bot_id))
  if (!bot?.is_active) throw new InvalidHook()
  return {
    hook,
    bot,
    integration: accessIntegration(hook.integration),
    options: hook.options,
    channel: hook.channel_id ?? undefined,
    topic: hook.topic ?? undefined,
  }
}
