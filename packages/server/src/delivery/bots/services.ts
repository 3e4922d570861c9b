import { randomBytes } from 'node:crypto'
import { type Command, ownCommands } from '@parley/api/delivery/bot-commands'
import { serviceInterfaces } from '@parley/api/delivery/bots'
import { eventTriggers, logTriggers, type Trigger, type TriggerSettings } from '@parley/api/delivery/webhook-triggers'
import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import { accessChannelMetadata } from '../../conversations/channels/access.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { newKey, type Vault } from '../../platform/secrets.ts'
import { checkUrl } from './access.ts'
import type { BotRow } from './queries.ts'

/** A signing secret in the format of Standard Webhooks. */
function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

export async function createService(
  tx: Tx,
  vault: Vault,
  bot_id: number,
  service: { base_url: string; interface: 1 | 2 },
): Promise<void> {
  await tx.db
    .insertInto('bot_services')
    .values({ realm_id: tx.realmId, bot_id, ...service, ...newServiceSecrets(vault) })
    .execute()
}

export function newServiceSecrets(vault: Vault) {
  return { token_sealed: vault.seal(newKey()), secret_sealed: vault.seal(newSecret()) }
}

/** Does nothing for a bot without an endpoint. */
export async function replaceServiceSecrets(tx: Tx, vault: Vault, botId: number): Promise<void> {
  await tx.db
    .updateTable('bot_services')
    .set(newServiceSecrets(vault))
    .where(matches({ realm_id: tx.realmId, bot_id: botId }))
    .execute()
}

type ServiceChanges = Partial<TriggerSettings> & { service_payload_url?: string; service_interface?: 1 | 2 }

/** Updates the endpoint of an outgoing webhook and what it is called for. Returns whether there was a change. */
export async function changeService(tx: Tx, actor: Caller, bot: BotRow, changes: ServiceChanges): Promise<boolean> {
  const values = await changedColumns(tx, actor, changes)
  if (Object.keys(values).length === 0) return false
  if (bot.base_url === null) throw new ApiError('This is not an outgoing webhook bot.')
  checkForm(changes.service_interface ?? bot.interface!, changes.triggers ?? bot.trigger_settings!.triggers)
  const own = matches({ realm_id: tx.realmId, bot_id: bot.id })
  await tx.db.updateTable('bot_services').set(values).where(own).execute()
  if (changes.triggers) await changeCursor(tx, bot.id, changes.triggers)
  if (changes.paused === false) await resume(tx, bot.id)
  return true
}

async function changedColumns(tx: Tx, actor: Caller, changes: ServiceChanges) {
  const {
    service_payload_url: url,
    service_interface: form,
    triggers,
    channel_ids,
    filter,
    in_order,
    paused,
    commands,
  } = changes
  if (commands) checkCommands(commands)
  for (const id of channel_ids ?? []) await accessChannelMetadata(tx.db, actor, id)
  return {
    ...(url !== undefined && { base_url: checkUrl(url) }),
    ...(form !== undefined && { interface: form }),
    ...(triggers && { triggers: [...new Set(triggers)] }),
    ...(channel_ids !== undefined && { channel_ids: channel_ids && [...new Set(channel_ids)] }),
    ...(filter && { filter: JSON.stringify(filter) }),
    ...(commands && { commands: JSON.stringify(commands) }),
    ...(in_order !== undefined && { in_order }),
    ...(paused !== undefined && { paused_at: paused ? sql<Date>`coalesce(paused_at, now())` : null }),
  }
}

function checkCommands(commands: readonly Command[]): void {
  const names = commands.map(({ name }) => name)
  const taken = names.find((name, index) => ownCommands.includes(name) || names.indexOf(name) !== index)
  if (taken !== undefined) throw new ApiError(`The command /${taken} is taken.`)
}

/** Slack's outgoing form has fields for a message only. */
function checkForm(form: number, triggers: readonly Trigger[]): void {
  const refused = triggers.find((trigger) => (eventTriggers as readonly Trigger[]).includes(trigger))
  if (form === serviceInterfaces.slack && refused)
    throw new ApiError(`The trigger ${refused} needs interface_type 1, because Slack's format knows only messages.`)
}

/** A webhook that is called for events of the log begins to read it at its end. */
async function changeCursor(tx: Tx, bot_id: number, triggers: readonly Trigger[]): Promise<void> {
  if (!triggers.some((trigger) => (logTriggers as readonly Trigger[]).includes(trigger)))
    await tx.db
      .deleteFrom('webhook_cursors')
      .where(matches({ realm_id: tx.realmId, bot_id }))
      .execute()
  else
    await sql`
      insert into webhook_cursors (realm_id, bot_id, last_event)
      select realm_id, ${bot_id}, last_event from realm_counters where realm_id = ${tx.realmId}
      on conflict do nothing`.execute(tx.db)
}

/** Retries everything that waits, now. */
async function resume(tx: Tx, bot_id: number): Promise<void> {
  const own = matches({ realm_id: tx.realmId, bot_id })
  await tx.db.updateTable('webhook_cursors').set({ failing_since: null }).where(own).execute()
  await tx.db
    .updateTable('webhook_deliveries')
    .set({ due_at: sql`now()` })
    .where(own)
    .where('status', '=', 'waiting')
    .execute()
  await tx.enqueue('deliver_webhooks', { bot_id })
}

/** Skips the events that a webhook has not read yet. */
export async function startCursorOver(tx: Tx, botId: number): Promise<void> {
  await sql`
    update webhook_cursors w set last_event = c.last_event from realm_counters c
     where w.realm_id = ${tx.realmId} and w.bot_id = ${botId} and c.realm_id = w.realm_id`.execute(tx.db)
}
