import { lookup } from '@parley/api/lookup'
import { isOwner as isOwnerRole } from '@parley/api/permissions'
import { useSession, useSlices } from '../session/context.tsx'
import { save } from '../settings/saving.ts'

/** The settings of the organization, and how one of them is changed. */
export function useRealmSettings() {
  const store = useSlices('realm', 'viewer')
  const { client } = useSession()
  const get = (name: string) => lookup(store.realm.settings, name)
  const put = (name: string, value: unknown) => client.call('updateRealm', { [name]: value })
  const set = (name: string, value: unknown, before = get(name)) =>
    save(() => put(name, value), { undo: () => put(name, before) })
  const isOwner = isOwnerRole(store.viewer)
  return { get, put, set, isOwner }
}
