import type { Command } from '@parley/api/delivery/bot-commands'
import { serviceInterfaces } from '@parley/api/delivery/bots'
import { sql } from 'kysely'
import { type Caller, loadCaller } from '../../../callers/caller.ts'
import { fakeDomain } from '../../../callers/realm-state.ts'
import { accessChannel, type Channel, canReadContent } from '../../../conversations/channels/access.ts'
import type { Destination } from '../../../conversations/messages/send/destination.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { many } from '../../../platform/db/query.ts'
import { ApiError } from '../../../platform/http/api-error.ts'

/** As many as clients can show. */
const mostBots = 100

export type Offered = Command & { bot_id: number }

/** The commands of the bots that can read the channel; without one, those of all bots. */
export async function readCommands(
  db: Db,
  caller: Caller,
  streamId: number | undefined,
  name?: string,
): Promise<Offered[]> {
  const named = name === undefined ? sql`true` : sql`s.commands @> ${JSON.stringify([{ name }])}::jsonb`
  const channel = streamId === undefined ? undefined : await accessChannel(db, caller, streamId)
  const bots = await many<{ bot_id: number; commands: Command[] }>(db)`
    select s.bot_id, s.commands from bot_services s join users u on u.realm_id = s.realm_id and u.id = s.bot_id
     where s.realm_id = ${caller.realm_id} and s.commands <> '[]' and u.is_active and ${named}
     order by s.bot_id limit ${mostBots}`
  const offered = await Promise.all(
    bots.map(async ({ bot_id, commands }) =>
      !channel || (await mayOffer(db, caller, bot_id, channel)) ? commands.map((one) => ({ ...one, bot_id })) : [],
    ),
  )
  return offered.flat()
}

async function mayOffer(db: Db, { state }: Caller, botId: number, channel: Channel): Promise<boolean> {
  const bot = await loadCaller(db, state, botId)
  return bot !== undefined && canReadContent(db, bot, channel)
}

/** The command that the caller names, where it is offered. */
export async function accessCommand(
  db: Db,
  caller: Caller,
  { command, bot_id, stream_id }: { command: string; bot_id?: number; stream_id?: number },
): Promise<Offered> {
  const name = command.replace(/^\//, '')
  const [found, another] = (await readCommands(db, caller, stream_id, name)).filter(
    (one) => one.name === name && (bot_id === undefined || one.bot_id === bot_id),
  )
  if (!found) throw new ApiError(`There is no command /${name} here.`)
  if (another) throw new ApiError(`Several bots offer /${name}. Choose one from the list.`)
  return found
}

interface Run {
  bot: Caller
  token: string
  caller: Caller
  command: string
  text: string
  destination: Destination
}

/** In our form, or in that of Slack and Mattermost. */
export function commandPayload(form: number, { bot, token, caller, command, text, destination }: Run) {
  const place =
    destination.kind === 'channel'
      ? { stream_id: destination.channel.id, stream: destination.channel.name, topic: destination.topic }
      : { user_ids: destination.participants.map(({ id }) => id) }
  if (form !== serviceInterfaces.slack)
    return { type: 'command', command, text, ...place, user: userOf(caller), bot_email: bot.email, token }
  const channel = destination.kind === 'channel' ? destination.channel : undefined
  return new URLSearchParams({
    token,
    command: `/${command}`,
    text,
    team_id: `T${bot.realm_id}`,
    team_domain: fakeDomain(bot.realm),
    channel_id: channel ? `C${channel.id}` : `D${caller.id}`,
    channel_name: channel?.name ?? 'directmessage',
    user_id: `U${caller.id}`,
    user_name: caller.full_name,
  })
}

export function userOf({ id, full_name }: Caller) {
  return { id, full_name }
}
