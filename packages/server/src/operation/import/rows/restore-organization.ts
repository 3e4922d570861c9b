import { nameLimits } from '@parley/api/limits'
import { lookup } from '@parley/api/lookup'
import { type RealmGroupSetting, realmGroupSettings } from '@parley/api/permission-settings'
import { realmSettings } from '@parley/api/settings'
import { Compile } from 'typebox/compile'
import { checkLinkifier } from '../../../organization/linkifiers/check-linkifier.ts'
import { inTransaction } from '../run.ts'
import { validSettings } from './restore-people.ts'
import { type NewRow, type RowRun, restorePlain, restoreWithIds, rowsOf } from './restore-rows.ts'
import { clean, integerIn, jsonOf, oneLine, type Row, short, timestampIn } from './row-values.ts'

/** Name, description and settings; once channels and groups are there. */
export async function restoreRealm(run: RowRun): Promise<void> {
  const [row] = await rowsOf(run, 'realm')
  if (!row || !run.isNew) return
  const { client, realm } = run
  const settings = validRealmSettings(run, row.settings)
  await client.query(
    `update realms set description = $2, date_created = $3, settings = $4, user_settings_defaults = $5 where id = $1`,
    [
      realm.id,
      short(row.description, nameLimits.organizationDescription),
      timestampIn(row, 'date_created'),
      jsonOf(settings),
      jsonOf(validSettings(row.user_settings_defaults)),
    ],
  )
  await restorePermissions(run)
}

const checks = Object.fromEntries(Object.entries(realmSettings).map(([name, { schema }]) => [name, Compile(schema)]))
const channelSettings = new Set(Object.keys(realmSettings).filter((name) => /_(channel|stream)_id$/.test(name)))

function validRealmSettings({ ids }: RowRun, settings: unknown): Row {
  const valid = Object.entries((settings ?? {}) as Row).filter(([name, value]) => lookup(checks, name)?.Check(value))
  return Object.fromEntries(
    valid.map(([name, value]) => [name, channelSettings.has(name) ? (ids.find('channel', value) ?? -1) : value]),
  )
}

async function restorePermissions(run: RowRun): Promise<void> {
  const { client, realm, ids } = run
  await inTransaction(run, async () => {
    for (const { setting, group_id } of await rowsOf(run, 'permissions')) {
      const group = ids.find('group', group_id)
      if (group === undefined || !Object.hasOwn(realmGroupSettings, setting as RealmGroupSetting)) continue
      await client.query('update realm_permissions set group_id = $3 where realm_id = $1 and setting = $2', [
        realm.id,
        setting,
        group,
      ])
    }
  })
}

/** What everybody in the organization uses. */
export async function restoreTools(run: RowRun): Promise<void> {
  await restorePlain(run, 'domains', 'realm_domains', ({ domain, allow_subdomains }) => ({
    domain: domainIn(domain),
    allow_subdomains: allow_subdomains === true,
  }))
  await restoreWithIds(run, 'linkifier', 'linkifiers', await rowsOf(run, 'linkifiers'), linkifierRecord)
  await restoreWithIds(run, 'playground', 'playgrounds', await rowsOf(run, 'playgrounds'), (row) => ({
    name: needed(row.name, 100, 'its name'),
    pygments_language: needed(row.pygments_language, 100, 'its language'),
    url_template: needed(row.url_template, 1000, 'its URL'),
  }))
  await restoreWithIds(run, 'field', 'profile_fields', await rowsOf(run, 'profile_fields'), fieldRecord)
}

function needed(value: unknown, longest: number, what: string): string {
  const text = oneLine(value, longest)
  if (text === '') throw new Error(`${what} is missing`)
  return text
}

/** The serial number is given by the database. */
function domainIn(value: unknown): string {
  const domain = clean(value).toLowerCase()
  if (!/^[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)+$/u.test(domain) || domain.length > 254)
    throw new Error('it is no domain')
  return domain
}

function linkifierRecord({ pattern, url_template, example_input, place }: Row): NewRow {
  const texts = { pattern: short(pattern, 1000), url_template: short(url_template, 1000) }
  checkLinkifier(texts)
  const example = short(example_input, 1000)
  return { ...texts, example_input: example || null, place: integerIn(place, 0, 1e9) ?? 0 }
}

function fieldRecord(row: Row): NewRow {
  const field_type = integerIn(row.field_type, 1, 8)
  if (field_type === undefined) throw new Error(`the type ${String(row.field_type)} is unknown`)
  return {
    name: needed(row.name, nameLimits.profileField, 'its name'),
    hint: short(row.hint, nameLimits.profileFieldHint),
    field_type,
    field_data: fieldData(field_type, row.field_data),
    place: integerIn(row.place, 0, 1e9) ?? 0,
    display_in_profile_summary: row.display_in_profile_summary === true,
    required: row.required === true,
    editable_by_user: row.editable_by_user !== false,
  }
}

/** Lists of choices and accounts are JSON. */
function fieldData(type: number, data: unknown): string {
  const text = clean(data)
  if (type !== 3 && type !== 7) return ''
  const value = JSON.parse(text) as unknown
  if (typeof value !== 'object' || value === null || text.length > 100_000)
    throw new Error('its data is not as it must be')
  return text
}
