import { roles } from '@parley/api/common'
import type { Bot } from '@parley/api/delivery/bots'
import { isAdmin } from '@parley/api/permissions'
import { avatarUrl } from '../../people/users/user-object.ts'
import type { Vault } from '../../platform/secrets.ts'
import type { BotRow, DefaultChannel } from './queries.ts'

/** The user whose visibility of bots applies. */
export interface Viewer {
  id: number
  role: number
  bot_type: number | null
}

/** Serializes a sealed secret: decrypted for a client, still sealed for the log. */
export type Writes = (sealed: Buffer) => string

export const opened =
  (vault: Vault): Writes =>
  (sealed) =>
    vault.open(sealed)

export const blank: Writes = () => ''

export const sealed: Writes = (secret) => secret.toString('base64')

/** Whether the viewer manages a bot: owners manage their own bots, human administrators manage all. */
export function isResponsibleFor(viewer: Viewer, bot: Pick<BotRow, 'bot_owner_id'>): boolean {
  return bot.bot_owner_id === viewer.id || (isAdmin(viewer) && viewer.bot_type === null)
}

/** Whether a bot has rights that the viewer lacks. Knowing its API key would give them to the viewer. */
export function exceeds(bot: Pick<BotRow, 'role' | 'can_create_users'>, viewer: Viewer): boolean {
  return viewer.role !== roles.owner && (bot.role === roles.owner || bot.can_create_users)
}

export function botObject(row: BotRow, viewer: Viewer, realmHost: string, write: Writes): Bot {
  return {
    user_id: row.id,
    email: row.email,
    full_name: row.full_name,
    bot_type: row.bot_type!,
    is_active: row.is_active,
    api_key: keyFor(row, viewer, write),
    avatar_url: avatarUrl(row, realmHost),
    ...defaultsFor(row, viewer),
    services: servicesOf(row, write),
    ...(row.bot_owner_id !== null && { owner_id: row.bot_owner_id }),
  }
}

export function keyFor(row: BotRow, viewer: Viewer, write: Writes): string {
  return exceeds(row, viewer) ? '' : write(row.api_key_sealed)
}

/** Only the owner, who chose the channel, sees the name of a private one. */
export function defaultsFor(row: BotRow, viewer: Viewer) {
  const shown = (channel: DefaultChannel | null) =>
    channel && (!channel.invite_only || row.bot_owner_id === viewer.id) ? channel.name : null
  return {
    default_sending_stream: shown(row.sending),
    default_events_register_stream: shown(row.events),
    default_all_public_streams: row.default_all_public_streams,
  }
}

export function servicesOf(row: BotRow, write: Writes): Bot['services'] {
  const { base_url, interface: form, token_sealed, trigger_settings } = row
  return base_url === null ? [] : [{ base_url, interface: form!, token: write(token_sealed!), ...trigger_settings! }]
}

interface Secrets {
  api_key?: string
  services?: Bot['services']
}

/** Writes the secrets of a bot from the log, just before it is sent to a client. */
export function writeSecrets<B extends Secrets>(bot: B, write: Writes): B {
  const open = (text: string) => (text === '' ? '' : write(Buffer.from(text, 'base64')))
  return {
    ...bot,
    ...(bot.api_key !== undefined && { api_key: open(bot.api_key) }),
    ...(bot.services && { services: bot.services.map((one) => ({ ...one, token: open(one.token) })) }),
  }
}
