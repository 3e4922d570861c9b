import { useSession, useStore } from '../session/context.tsx'
import { save } from './saving.ts'

/** The viewer's settings, and how one of them is changed. */
export function useOwnSettings() {
  const store = useStore()
  const { client } = useSession()
  const get = (name: string) => store.preferences.get(name)
  const set = (name: string, value: unknown, before = get(name)) => {
    const put = (one: unknown) => client.call('updateSettings', { [name]: one })
    // Only a time zone may be empty, and the server does not accept that again.
    return save(() => put(value), before === '' ? {} : { undo: () => put(before) })
  }
  return { get, set }
}
