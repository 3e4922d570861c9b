import type { OwnSettings } from '@parley/client/store/preferences'
import { useSession, useSlices } from '../session/context.tsx'
import { save } from './saving.ts'

/** The settings that are on or off. */
export type FlagName = {
  [Name in keyof OwnSettings]: OwnSettings[Name] extends boolean ? Name : never
}[keyof OwnSettings]

/** The viewer's settings, and how one of them is changed. */
export function useOwnSettings() {
  const store = useSlices('preferences')
  const { client } = useSession()
  const get = <Name extends keyof OwnSettings>(name: Name) => store.preferences.get(name)!
  const set = <Name extends keyof OwnSettings>(name: Name, value: OwnSettings[Name]) => {
    const before = get(name)
    const put = (one: OwnSettings[Name]) => client.call('updateSettings', { [name]: one })
    // Only a time zone may be empty, and the server does not accept that again.
    return save(() => put(value), before === '' ? {} : { undo: () => put(before) })
  }
  const flag = (name: FlagName) => ({ isOn: get(name), onChange: (isOn: boolean) => set(name, isOn) })
  return { get, set, flag }
}
