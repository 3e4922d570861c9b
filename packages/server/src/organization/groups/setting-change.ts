import { isDeepStrictEqual } from 'node:util'
import type { GroupSettingValue } from '@parley/api/common'
import type { SettingChange } from '@parley/api/organization/groups'
import type { GroupSettingDeclaration } from '@parley/api/permission-settings'
import type { Realm } from '../../callers/realm-state.ts'
import type { Tx } from '../../events/transact.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { createUnnamedGroups, dropUnnamedGroups } from './actions.ts'
import { checkSettingValue, readSettingValues, simplest } from './setting-value.ts'

/** A setting, its current group and the requested change. */
export interface GroupSettingChange<Setting extends string = string> {
  setting: Setting
  declared: GroupSettingDeclaration
  current: number
  change: SettingChange
}

/** The new value of a setting: the group to store, and its API form. */
export interface Changed<Setting extends string = string> {
  setting: Setting
  before: number
  group: number
  value: GroupSettingValue
}

class ExpectationMismatch extends ApiError {
  constructor() {
    const fields = { field_name: 'old' }
    super("'old' value does not match the expected value.", 'EXPECTATION_MISMATCH', { fields })
  }
}

/**
 * Validates changes of settings and creates the unnamed groups they need. Leaves out settings that do not change. The
 * caller must store the groups and then call deleteFormerGroups.
 */
export async function changeSettings<Setting extends string>(
  tx: Tx,
  realm: Realm,
  requested: GroupSettingChange<Setting>[],
): Promise<Changed<Setting>[]> {
  const changed: Changed<Setting>[] = []
  const shown = await readSettingValues(
    tx.db,
    realm.id,
    requested.map(({ current }) => current),
  )
  for (const { setting, declared, current, change } of requested) {
    if (change.old !== undefined && !isDeepStrictEqual(simplest(realm, change.old), simplest(realm, shown(current))))
      throw new ExpectationMismatch()
    const value = await checkSettingValue(tx.db, realm, { setting, declared, value: change.new })
    if (!isDeepStrictEqual(value, simplest(realm, shown(current))))
      changed.push({ setting, before: current, group: await groupOf(tx, realm, value), value })
  }
  return changed
}

async function groupOf(tx: Tx, realm: Realm, value: GroupSettingValue): Promise<number> {
  return typeof value === 'number' ? value : (await createUnnamedGroups(tx, realm, [value]))[0]!
}

/** An unnamed group is the value of a single setting, so nothing refers to it after the change. */
export function deleteFormerGroups(tx: Tx, changed: Changed[]): Promise<void> {
  return dropUnnamedGroups(
    tx,
    changed.map(({ before }) => before),
  )
}
