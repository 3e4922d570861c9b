import { useSession, useStore } from '../session/context.tsx'
import { save } from './saving.ts'

/** The viewer's settings, and how one of them is changed. */
export function useOwnSettings() {
  const store = useStore()
  const { client } = useSession()
  const get = (name: string) => store.preferences.get(name)
  const set = (name: string, value: unknown) => {
    const before = get(name)
    const put = (one: unknown) => client.call('updateSettings', { [name]: one })
    return save(() => put(value), { undo: () => put(before) })
  }
  return { get, set }
}
