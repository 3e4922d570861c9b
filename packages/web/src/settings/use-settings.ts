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
  const setAll = (values: Partial<OwnSettings>) => {
    const names = Object.keys(values) as (keyof OwnSettings)[]
    const before: Partial<OwnSettings> = Object.fromEntries(names.map((name) => [name, get(name)]))
    const put = (all: Partial<OwnSettings>) => client.call('updateSettings', all as object)
    // Only a time zone may be empty, and the server does not accept that again.
    if (before.timezone === '') delete before.timezone
    return save(() => put(values), Object.keys(before).length === 0 ? {} : { undo: () => put(before) })
  }
  const set = <Name extends keyof OwnSettings>(name: Name, value: OwnSettings[Name]) => setAll({ [name]: value })
  const flag = (name: FlagName) => ({ isOn: get(name), onChange: (isOn: boolean) => set(name, isOn) })
  return { get, set, setAll, flag }
}
