import { nameLimits, storageLimits } from '@parley/api/limits'
import { builtInEmoji } from '../../../organization/emoji/built-in-emoji.ts'
import { foldCase } from '../../../platform/text.ts'
import type { Directory } from './references-here.ts'
import { type RowRun, restorePlain, restoreWithIds, rowsOf } from './restore-rows.ts'
import { clean, idsIn, integerIn, oneLine, type Row, short, timestampIn } from './row-values.ts'

/** What people have besides messages. `text`: with new ids. */
export async function restorePersonal(
  run: RowRun,
  directory: Directory,
  text: (content: string) => string,
): Promise<void> {
  const { ids } = run
  const ofUser = ({ user_id }: Row) => ({ user_id: ids.need('user', user_id) })
  await restoreProfiles(run, directory)
  await restorePlain(run, 'muted_users', 'muted_users', (row) => ({
    ...ofUser(row),
    muted_user_id: ids.need('user', row.muted_user_id),
    date_muted: timestampIn(row, 'date_muted'),
  }))
  await restorePlain(run, 'alert_words', 'alert_words', (row) => {
    const word = oneLine(row.word, nameLimits.alertWord)
    if (word === '') throw new Error('the word is empty')
    return { ...ofUser(row), word, word_key: foldCase(word) }
  })
  await restoreWithIds(run, 'snippet', 'saved_snippets', await rowsOf(run, 'saved_snippets'), (row) => ({
    ...ofUser(row),
    title: oneLine(row.title, nameLimits.snippet) || '-',
    content: text(short(row.content, longestText)),
    date_created: timestampIn(row, 'date_created'),
  }))
  await restoreWithIds(run, 'draft', 'drafts', await rowsOf(run, 'drafts'), (row) => ({
    ...ofUser(row),
    type: ['private', 'stream'].includes(String(row.type)) ? row.type : '',
    recipients: recipientsOf(run, row),
    topic: oneLine(row.topic, 60),
    content: text(short(row.content, longestText)),
    last_edited: timestampIn(row, 'last_edited'),
  }))
  await run.client.query('update realms set alert_words_version = alert_words_version + 1 where id = $1', [
    run.realm.id,
  ])
}

const longestText = storageLimits.submessageTextPerMessage

/** Users, or a channel. */
function recipientsOf({ ids }: RowRun, { type, recipients }: Row): number[] {
  return ids.list(type === 'stream' ? 'channel' : 'user', idsIn(recipients))
}

async function restoreProfiles(run: RowRun, directory: Directory): Promise<void> {
  const { ids } = run
  const fields = new Map((await rowsOf(run, 'profile_fields')).map(({ id, field_type }) => [id, field_type]))
  await restorePlain(run, 'profile_values', 'profile_values', async (row) => ({
    user_id: ids.need('user', row.user_id),
    field_id: ids.need('field', row.field_id),
    value: fields.get(row.field_id) === 6 ? peopleIn(run, row.value) : short(row.value, 2000),
    rendered_value: isText(fields.get(row.field_id)) ? await directory.description(short(row.value, 2000)) : null,
  }))
  await restorePlain(run, 'statuses', 'user_statuses', (row) => ({
    user_id: ids.need('user', row.user_id),
    status_text: short(row.status_text, nameLimits.status),
    ...emojiOf(run, row),
    scheduled_end_time: integerIn(row.scheduled_end_time, 0, 1e12) ?? null,
  }))
}

function isText(type: unknown): boolean {
  return type === 1 || type === 2
}

/** A list of ids as JSON. */
function peopleIn({ ids }: RowRun, value: unknown): string {
  return JSON.stringify(ids.list('user', idsIn(JSON.parse(clean(value)))))
}

const noEmoji = { emoji_name: '', emoji_code: '', reaction_type: 'unicode_emoji' }

/** The emoji of a status or a reaction with its id here. */
export function emojiOf({ ids }: RowRun, { emoji_name, emoji_code, reaction_type }: Row) {
  const [name, code] = [clean(emoji_name), clean(emoji_code)]
  if (reaction_type === 'realm_emoji') {
    const id = ids.find('emoji', Number(code))
    return id === undefined ? noEmoji : { emoji_name: name, emoji_code: String(id), reaction_type }
  }
  if (reaction_type === 'zulip_extra_emoji' || reaction_type === 'service_extra_emoji')
    return builtInEmoji('zulip') ?? noEmoji
  if (/^[0-9a-f]{2,6}(?:-[0-9a-f]{2,6}){0,12}$/.test(code) && isPlainName(name))
    return { emoji_name: name, emoji_code: code, reaction_type: 'unicode_emoji' }
  return builtInEmoji(name) ?? noEmoji
}

function isPlainName(name: string): boolean {
  return /^[\p{L}\p{N}_+-]{1,100}$/u.test(name)
}
