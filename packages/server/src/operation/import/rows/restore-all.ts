import { transactIn } from '../../../context.ts'
import { checkEmail } from '../../../people/users/profile/account-fields.ts'
import { systemBotWith } from '../../../people/users/system-bots.ts'
import { emailKey } from '../../../platform/emails.ts'
import { Written } from '../find-differences.ts'
import type { Begun } from '../importable.ts'
import { addOwner } from '../records/import-people.ts'
import { findMapped } from '../run.ts'
import { Histories } from './imported-edits.ts'
import { Directory } from './references-here.ts'
import {
  describePlaces,
  raiseFloors,
  restoreChannels,
  restoreFolders,
  restoreSubscriptions,
} from './restore-channels.ts'
import { linkFiles, restoreAvatars, restoreEmoji, restoreFiles, restoreRealmImages } from './restore-files.ts'
import { restoreGroups } from './restore-groups.ts'
import { Messages } from './restore-messages.ts'
import { restoreRealm, restoreTools } from './restore-organization.ts'
import { countFullMembers, renumberSidebars, restoreUsers } from './restore-people.ts'
import { restorePersonal } from './restore-personal.ts'
import { advanceSequences, type RowRun, rowsOf } from './restore-rows.ts'
import { restoreBots, restoreConversations, restoreFlags, restorePins, restorePlanned } from './restore-states.ts'
import { restorePolicies, restoreTopics } from './restore-topics.ts'
import { clean, type Row, timestampIn } from './row-values.ts'
import { withNewIds } from './texts.ts'

/** Restores an organization: first what others refer to, then messages, then what refers to those. */
export async function restoreAll(run: RowRun, { progress }: Pick<Begun, 'progress'>): Promise<Written> {
  await assignMessages(run)
  const users = await restoreAccounts(run)
  await restorePlaces(run)
  await refreshRealm(run)
  const text = textOf(run)
  const directory = new Directory(run)
  await directory.load()
  await describePlaces(run, (description) => directory.description(text(description)))
  await describeRealm(run, directory)
  const written = new Written()
  const histories = new Histories(run, directory, text)
  const files = await restoreFiles(run, directory)
  await restoreSubscriptions(run)
  await restoreTopics(run, directory, histories)
  const messages = new Messages(run, { directory, histories, text, written, progress })
  await messages.restore(files)
  await histories.advance()
  await linkFiles(run, files, messages.dropped)
  await restoreConversations(run)
  if (!run.isNew) await raiseFloors(run)
  await restoreFlags(run, messages.dropped)
  await restorePolicies(run)
  await restorePins(run)
  await restorePersonal(run, directory, text)
  await restorePlanned(run, directory, text)
  await restoreBots(run)
  await renumberSidebars(run, users)
  await countFullMembers(run)
  if (run.keepsIds) await advanceSequences(run)
  return written
}

async function assignMessages({ client, realm, ids, open, isNew }: RowRun): Promise<void> {
  const { rows } = await client.query<{ last_message: number }>(
    'select last_message from realm_counters where realm_id = $1',
    [realm.id],
  )
  const findKnown = async (list: number[]) => {
    const known = await findMapped({ client, realm }, 'message', list.map(String))
    return new Map([...known].map(([key, { id }]) => [Number(key), id]))
  }
  await ids.messages.assign(findKnown, Number(rows[0]!.last_message), isNew && open.mayKeepIds)
}

/** Accounts, groups and avatars. The system bots of the file are ours. */
async function restoreAccounts(run: RowRun) {
  const { client, realm, ids, open } = run
  const { rows } = await client.query<{ id: number; email: string }>(
    'select id, email from users where realm_id = $1 and is_system_bot',
    [realm.id],
  )
  const ours = new Map(rows.map(({ id, email }) => [systemBotWith(email), Number(id)]))
  for (const row of await rowsOf(run, 'users')) {
    const { email, is_system_bot } = row
    const bot = is_system_bot === true && typeof email === 'string' ? ours.get(systemBotWith(email)) : undefined
    if (bot === undefined) continue
    ids.set('user', row.id as number, bot)
    if (open.isOurs) await takeOver(run, bot, row)
  }
  const users = await restoreUsers(run)
  await addOwner(run)
  await restoreGroups(run)
  await restoreAvatars(run, users)
  return users
}

/** Their emails name the host where they were created, as they do after the organization has moved. */
async function takeOver({ client, realm }: RowRun, bot: number, row: Row): Promise<void> {
  const email = checkEmail(clean(row.email))
  await client.query('update users set date_joined = $3, email = $4, email_key = $5 where realm_id = $1 and id = $2', [
    realm.id,
    bot,
    timestampIn(row, 'date_joined'),
    email,
    emailKey(email),
  ])
}

async function restorePlaces(run: RowRun): Promise<void> {
  await restoreFolders(run)
  await restoreChannels(run)
  await restoreRealm(run)
  await restoreTools(run)
  await restoreEmoji(run)
  if (run.isNew) await restoreRealmImages(run)
}

/** The realm with the settings and linkifiers that were just written. */
async function refreshRealm(run: RowRun): Promise<void> {
  const { ctx, realm } = run
  await transactIn(ctx, realm.id, async (tx) => tx.emitInternal({ access: true }))
  ctx.realms.drop(realm.id)
  run.realm = (await ctx.realms.get(realm.id)).realm
}

function textOf(run: RowRun): (content: string) => string {
  const { ids, open, realm, keepsIds, renamed } = run
  const params = { ids, realmIds: { from: open.realmId, to: realm.id }, isOwnHost: open.isOwnHost, renamed, keepsIds }
  return (content) => withNewIds(content, params)
}

async function describeRealm({ client, realm }: RowRun, directory: Directory): Promise<void> {
  const html = await directory.description(realm.description)
  await client.query('update realms set rendered_description = $2 where id = $1', [realm.id, html])
}
