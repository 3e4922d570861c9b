import { lookup } from '@parley/api/lookup'
import { realmSettings } from '@parley/api/settings'
import { sql } from 'kysely'
import type { Realm } from '../../callers/realm-state.ts'
import type { Tx } from '../../events/transact.ts'

type Value = boolean | number | string | null

/** The settings that differ from the current values. */
export function changedSettings({ settings }: Realm, requested: Record<string, unknown>): Record<string, Value> {
  const changed = Object.entries(requested).filter(([name, value]) => lookup(settings, name) !== value)
  return Object.fromEntries(changed) as Record<string, Value>
}

export async function storeSettings(tx: Tx, realm: Realm, changed: Record<string, Value>): Promise<void> {
  if (Object.keys(changed).length === 0) return
  const defaultOf = (name: string) => lookup<{ default: unknown }>(realmSettings, name)?.default
  const defaults = Object.entries(changed).flatMap(([name, value]) => (value === defaultOf(name) ? [name] : []))
  await sql`update realms set settings = (settings || ${JSON.stringify(changed)}::jsonb) - ${defaults}::text[]
             where id = ${realm.id}`.execute(tx.db)
  emitSettings(tx, changed)
}

/** Emitted together in one event. */
const emittedTogether = ['allow_message_editing', 'message_content_edit_limit_seconds']

function emitSettings(tx: Tx, changed: Record<string, Value>): void {
  const editing = Object.entries(changed).filter(([name]) => emittedTogether.includes(name))
  if (editing.length > 0) emitTogether(tx, Object.fromEntries(editing))
  for (const [property, value] of Object.entries(changed))
    if (!emittedTogether.includes(property)) emitSetting(tx, property, value)
}

function emitSetting(tx: Tx, property: string, value: Value): void {
  tx.emit({ type: 'realm', op: 'update', property, value }, { realm: 'everyone' }, { access: true })
}

export function emitTogether(tx: Tx, data: Record<string, unknown>): void {
  tx.emit({ type: 'realm', op: 'update_dict', property: 'default', data }, { realm: 'everyone' }, { access: true })
}

/** `effective` is what it means for the organization, which may depend on the configuration. */
export async function storeQuota(tx: Tx, upload_quota_mib: number | null, effective: number | null): Promise<void> {
  await tx.db.updateTable('realms').set({ upload_quota_mib }).where('id', '=', tx.realmId).execute()
  emitSetting(tx, 'upload_quota_mib', effective)
}

/** The name and description of an organization. */
export interface Identity {
  name?: string
  description?: string
  rendered_description?: string
}

export async function storeIdentity(tx: Tx, realm: Realm, { name, description, ...more }: Identity): Promise<string[]> {
  const changed = {
    ...(name !== undefined && name !== realm.name && { name }),
    ...(description !== undefined && description !== realm.description && { description }),
  }
  const names = Object.keys(changed)
  if (names.length === 0) return []
  await tx.db
    .updateTable('realms')
    .set({ ...changed, ...('description' in changed && more) })
    .where('id', '=', realm.id)
    .execute()
  if (changed.name !== undefined) emitSetting(tx, 'name', changed.name)
  if (changed.description !== undefined) emitTogether(tx, { description: changed.description })
  return names
}
