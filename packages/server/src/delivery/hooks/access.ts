import { hookLimits } from '@parley/api/limits'
import type { HookOptions } from '@parley/integrations/handle'
import { checkTemplate, TemplateError } from '@parley/integrations/templates'
import type { Caller } from '../../callers/caller.ts'
import { absentChannel, canSeeChannel, findChannel } from '../../conversations/channels/access.ts'
import { checkPosting } from '../../conversations/channels/posting-access.ts'
import type { Tx } from '../../events/transact.ts'
import type { Db } from '../../platform/db/pool.ts'
import { one } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { accessBot } from '../bots/access.ts'
import type { BotRow } from '../bots/queries.ts'
import { findHook, findRequest, type HookRow, type RequestRow } from './queries.ts'

class NoSuchHook extends ApiError {
  constructor() {
    super('There is no such incoming hook.')
  }
}

/** A hook whose bot the caller manages. Others fail exactly like one that does not exist. */
export async function accessHook(db: Db, caller: Caller, id: number): Promise<{ hook: HookRow; bot: BotRow }> {
  const hook = await findHook(db, caller.realm_id, id)
  if (!hook) throw new NoSuchHook()
  const bot = await accessBot(db, caller, hook.bot_id).catch(() => {
    throw new NoSuchHook()
  })
  return { hook, bot }
}

/** A request that can be handled again. */
export async function accessRequest(db: Db, hook: HookRow, id: number): Promise<RequestRow> {
  const request = await findRequest(db, hook, id)
  if (!request) throw new ApiError('There is no such request.')
  if (!request.is_complete) throw new ApiError('Only the beginning of this request was kept: it cannot be replayed.')
  return request
}

/** Throws unless the caller, who answers for what the hook posts, may post in the channel. */
export async function checkHookChannel(db: Db, caller: Caller, channelId: number): Promise<void> {
  const channel = await findChannel(db, caller, channelId)
  if (!channel || !(await canSeeChannel(db, caller, channel))) throw new ApiError('Invalid channel ID')
  await checkPosting(db, caller, channel ?? absentChannel(caller, channelId))
}

/** A bot that the caller manages and that can have one more hook. Lock it first. */
export async function accessHookBot(tx: Tx, caller: Caller, botId: number): Promise<BotRow> {
  const bot = await accessBot(tx.db, caller, botId)
  if (!bot.is_active) throw new ApiError('This bot is deactivated.')
  const { total } = await one<{ total: number }>(tx.db)`
    select count(*) as total from hooks where realm_id = ${tx.realmId} and bot_id = ${botId}`
  if (total >= hookLimits.perBot)
    throw new ApiError(`A bot can have at most ${hookLimits.perBot} incoming hooks. Delete one first.`)
  return bot
}

/** Throws for a template that could make no message. */
export function checkOptions({ topic_template, text_template, filter, update_key, dedup_key }: HookOptions): void {
  try {
    for (const source of [topic_template, text_template, update_key, dedup_key]) if (source) checkTemplate(source)
    if (filter) checkTemplate(`{% if ${filter} %}{% endif %}`)
  } catch (error) {
    if (error instanceof TemplateError) throw new ApiError(`Invalid template: ${error.message}`)
    throw error
  }
}
