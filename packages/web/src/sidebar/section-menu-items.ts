import type { Session } from '@parley/client/session/session'
import { arrange } from '../channels/arrange.ts'
import { t } from '../platform/i18n.ts'
import type { MenuItems } from '../ui/menu.tsx'
import { layoutOf, withoutSection, withShiftedSection } from './layout.ts'

/** What the viewer may do with a section of their own. */
export function sectionMenuItems(session: Session, name: string, onRename: () => void): MenuItems {
  const layout = layoutOf(session.store!)
  const names = layout.sections.map((one) => one.name)
  const shift = (by: -1 | 1) => () =>
    void arrange(session, withShiftedSection(layout, name, by), t('sidebar.sectionMoved'))
  return [
    { label: t('topic.rename'), icon: 'pencil-line', onSelect: onRename },
    names[0] !== name && { label: t('sidebar.up'), icon: 'arrow-up', onSelect: shift(-1) },
    names.at(-1) !== name && { label: t('sidebar.down'), icon: 'arrow-down', onSelect: shift(1) },
    {
      label: t('common.delete'),
      icon: 'trash',
      isDanger: true,
      onSelect: () => void arrange(session, withoutSection(layout, name), t('sidebar.sectionDeleted')),
    },
  ]
}
