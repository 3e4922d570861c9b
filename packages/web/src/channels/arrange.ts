import type { Session } from '@parley/client/session/session'
import { t } from '../platform/i18n.ts'
import { act } from '../session/act.ts'
import { type Layout, layoutOf, shifted, withMoved } from '../sidebar/layout.ts'
import { type ChannelSection, channelSections } from '../sidebar/model.ts'

/** Stores how the viewer arranges channels, and offers to undo it. */
export async function arrange(session: Session, layout: Layout, done: string): Promise<void> {
  const before = session.store!.preferences.get('web_sidebar') ?? ''
  const put = (web_sidebar: string) => session.client.call('updateSettings', { web_sidebar })
  await act(put(JSON.stringify(layout)), done, () => void act(put(before)))
}

/** Where a channel may stand: at the top, in own sections, and where the organization has it. */
export function sectionsFor(session: Session, id: number): ChannelSection[] {
  const folder = `folder ${session.store!.channels.subscribed.get(id)?.folder_id}`
  const sections = channelSections(session.store!)
  const natural = sections.some(({ key }) => key === folder) ? folder : 'other'
  return sections.filter((one) => one.isOwn || one.key === 'pinned' || one.key === natural || has(one, id))
}

const has = ({ channels }: ChannelSection, id: number) => channels.some((one) => one.id === id)

interface SectionPlace {
  key: string
  isOwn: boolean
  name: string
  channels: readonly number[]
}

/** Puts a channel into a section, in the order given there. Pinning is what other clients show too. */
export async function placeChannel(session: Session, id: number, place: SectionPlace): Promise<void> {
  const { name, pin_to_top } = session.store!.channels.subscribed.get(id)!
  const isPinned = place.key === 'pinned'
  const layout = layoutOf(session.store!)
  const ownNow = layout.sections.find(({ channels }) => channels.includes(id))?.name
  const own = isPinned ? ownNow : place.isOwn ? place.name : undefined
  if (isPinned !== pin_to_top) await pin(session, id, isPinned)
  await arrange(session, withMoved(layout, id, { own, channels: place.channels }), t('sidebar.moved', { name }))
}

function pin({ client }: Session, id: number, value: boolean): Promise<unknown> {
  return act(client.call('updateSubscription', { path: { stream_id: id }, property: 'pin_to_top', value }))
}

/** A channel before another one of a section, or at its end. */
export function placeBefore(session: Session, id: number, section: ChannelSection, before?: number): Promise<void> {
  const others = section.channels.map((one) => one.id).filter((one) => one !== id)
  const index = before === undefined ? others.length : others.indexOf(before)
  return placeChannel(session, id, { ...section, channels: others.toSpliced(index, 0, id) })
}

/** Moves a channel by one place within its section. Undefined if it is already at that end. */
export function shiftChannel(session: Session, id: number, by: -1 | 1): (() => void) | undefined {
  const section = channelSections(session.store!).find((one) => has(one, id))
  const ids = section?.channels.map((one) => one.id) ?? []
  if (!section || ids.at(by === 1 ? -1 : 0) === id) return undefined
  return () => void placeChannel(session, id, { ...section, channels: shifted(ids, id, by) })
}
