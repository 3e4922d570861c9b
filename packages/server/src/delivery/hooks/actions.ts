import { randomBytes } from 'node:crypto'
import type { createHook as createOperation, updateHook as updateOperation } from '@parley/api/delivery/hooks'
import { botTypes } from '@parley/api/kinds'
import type { ParamsOf } from '@parley/api/operation'
import type { HookOptions } from '@parley/integrations/handle'
import type { Caller } from '../../callers/caller.ts'
import { lockRow } from '../../events/lock-row.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { column } from '../../platform/db/query.ts'
import { hashKey, newToken, type Vault } from '../../platform/secrets.ts'
import { foldCase } from '../../platform/text.ts'
import { createBot } from '../bots/actions.ts'
import { accessHookBot, checkHookChannel, checkOptions } from './access.ts'
import { accessIntegration } from './catalogue.ts'
import { forgetKeys } from './hook-messages.ts'
import { findHookOfBot, type HookRow } from './queries.ts'

type CreateParams = ParamsOf<typeof createOperation>
type Changes = ParamsOf<typeof updateOperation>

/** Creates a hook and returns its token. */
export async function createHook(
  tx: Tx,
  vault: Vault,
  actor: Caller,
  params: CreateParams,
): Promise<{ id: number; token: string }> {
  const { integration, name, channel_id, topic, secret } = params
  const { title } = accessIntegration(integration)
  const options = optionsIn(params)
  checkOptions(options)
  if (channel_id !== undefined) await checkHookChannel(tx.db, actor, channel_id)
  const bot_id = params.bot_id ?? (await createHookBot(tx, vault, actor, name.trim() || title, integration))
  await lockRow(tx, 'users', bot_id)
  await accessHookBot(tx, actor, bot_id)
  const token = newToken()
  const { id } = await tx.db
    .insertInto('hooks')
    .values({
      realm_id: tx.realmId,
      bot_id,
      integration,
      name: name.trim() || title,
      token_hash: hashKey(token),
      token_sealed: vault.seal(token),
      channel_id: channel_id ?? null,
      topic: topic || null,
      options: JSON.stringify(options),
      secret_sealed: secret ? vault.seal(secret) : null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await tx.audit(actor.id, 'hook_created', { hook_id: id, user_id: bot_id, integration })
  return { id, token }
}

/** A bot that can only send, named after the hook. */
async function createHookBot(tx: Tx, vault: Vault, actor: Caller, name: string, integration: string): Promise<number> {
  const short_name = `${integration.replaceAll('_', '-')}-${randomBytes(4).toString('hex')}`
  const bot = await createBot(tx, vault, actor, {
    full_name: await freeName(tx, name),
    short_name,
    bot_type: botTypes.incomingWebhook,
    interface_type: 1,
    config_data: {},
  })
  return bot.id
}

/** The name, with a number if another account has it. */
async function freeName(tx: Tx, name: string): Promise<string> {
  const names = await column<string>(tx.db)`
    select full_name from users where realm_id = ${tx.realmId} and is_active`
  const taken = new Set(names.map(foldCase))
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name} ${number}`
    if (!taken.has(foldCase(candidate))) return candidate
  }
}

/** What was chosen; empty texts and lists choose nothing. */
export function optionsIn(params: HookOptions): HookOptions {
  const { only_events, exclude_events, topic_template, text_template, filter, update_key, dedup_key } = params
  return {
    ...(only_events?.length && { only_events }),
    ...(exclude_events?.length && { exclude_events }),
    ...(topic_template && { topic_template }),
    ...(text_template && { text_template }),
    ...(filter && { filter }),
    ...(update_key && { update_key }),
    ...(dedup_key && { dedup_key }),
    ...(params.mentions_allowed && { mentions_allowed: true }),
  }
}

export async function updateHook(tx: Tx, vault: Vault, actor: Caller, hook: HookRow, changes: Changes): Promise<void> {
  const { name, channel_id, topic, secret, is_enabled } = changes
  const options = optionsIn({ ...hook.options, ...changes })
  checkOptions(options)
  if (typeof channel_id === 'number') await checkHookChannel(tx.db, actor, channel_id)
  await tx.db
    .updateTable('hooks')
    .set({
      options: JSON.stringify(options),
      problem_reported: false,
      ...(name?.trim() && { name: name.trim() }),
      ...(channel_id !== undefined && { channel_id }),
      ...(topic !== undefined && { topic: topic || null }),
      ...(secret !== undefined && { secret_sealed: secret ? vault.seal(secret) : null }),
      ...(is_enabled !== undefined && { is_enabled }),
    })
    .where(matches({ realm_id: tx.realmId, id: hook.id }))
    .execute()
  if (channel_id !== undefined && channel_id !== hook.channel_id) await forgetKeys(tx, [hook.id])
  await tx.audit(actor.id, 'hook_updated', { hook_id: hook.id, changed: Object.keys(changes) })
}

export async function deleteHook(tx: Tx, actor: Caller, { id, bot_id, integration }: HookRow): Promise<void> {
  await tx.db
    .deleteFrom('hooks')
    .where(matches({ realm_id: tx.realmId, id }))
    .execute()
  await tx.audit(actor.id, 'hook_deleted', { hook_id: id, user_id: bot_id, integration })
}

/** The row for requests with the API key of a bot, which is created with the first of them. */
export async function hookOfBot(tx: Tx, bot: Caller, integration: string): Promise<HookRow> {
  const { title } = accessIntegration(integration)
  await tx.db
    .insertInto('hooks')
    .values({ realm_id: tx.realmId, bot_id: bot.id, integration, name: title })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await findHookOfBot(tx.db, bot, integration))!
}
