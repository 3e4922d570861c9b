import { lookup } from '@parley/api/lookup'
import { isOwner as isOwnerRole } from '@parley/api/permissions'
import { explainRole } from '../permissions/why.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { save } from '../settings/saving.ts'

/** The settings of the organization, how one of them is changed, and why not if the viewer is no owner. */
export function useRealmSettings() {
  const store = useSlices('realm', 'users', 'viewer')
  const { client } = useSession()
  const get = (name: string) => lookup(store.realm.settings, name)
  const put = (name: string, value: unknown) => client.call('updateRealm', { [name]: value })
  const set = (name: string, value: unknown, before = get(name)) =>
    save(() => put(name, value), { undo: () => put(name, before) })
  const isOwner = isOwnerRole(store.viewer)
  const ownersOnly = isOwner ? undefined : explainRole(store, 'owner')
  return { get, put, set, isOwner, ownersOnly }
}
