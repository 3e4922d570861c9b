import { lookup } from '@parley/api/lookup'
import { useSession, useStore } from '../session/context.tsx'
import { save } from '../settings/saving.ts'

/** The settings of the organization, and how one of them is changed. */
export function useRealmSettings() {
  const store = useStore()
  const { client, viewerId } = useSession()
  const get = (name: string) => lookup(store.realm.settings, name)
  const put = (name: string, value: unknown) => client.call('updateRealm', { [name]: value })
  const set = (name: string, value: unknown, before = get(name)) =>
    save(() => put(name, value), { undo: () => put(name, before) })
  const isOwner = store.users.byId.get(viewerId)?.role === 100
  return { get, put, set, isOwner }
}
