import { type ReactNode, Suspense, useState } from 'react'
import { t } from '../platform/i18n.ts'
import { useSession } from '../session/context.tsx'
import { loadLater } from '../session/later.ts'
import { lazyPart } from '../session/lazy-part.tsx'
import { IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Menu } from '../ui/menu.tsx'
import { UnreadPill } from '../ui/unread-pill.tsx'

export const SectionDialog = lazyPart(() => import('./section-dialog.tsx').then((one) => one.SectionDialog))

const storageKey = 'folded-sections'

interface SectionProps {
  /** Under this name it stays folded on this device. */
  id: string
  name: string
  unread: number
  /** Beside the name. */
  end?: ReactNode
  children: ReactNode
}

/** A part of the sidebar that can be folded, and then shows the sum of what is unread in it. */
export function Section({ id, name, unread, end, children }: SectionProps) {
  const [isFolded, setFolded] = useState(() => foldedSections().includes(id))
  const toggle = () => {
    const others = foldedSections().filter((one) => one !== id)
    localStorage.setItem(storageKey, JSON.stringify(isFolded ? others : [...others, id]))
    setFolded(!isFolded)
  }
  return (
    <section aria-label={name} data-section={id}>
      <h2>
        <button type="button" className="fold" title={name} aria-expanded={!isFolded} onClick={toggle}>
          <span className="name">{name}</span>
          <Icon name={isFolded ? 'chevron-right' : 'chevron-down'} size="s" />
        </button>
        {isFolded && unread > 0 && <UnreadPill count={unread} />}
        {end}
      </h2>
      {!isFolded && children}
    </section>
  )
}

function foldedSections(): string[] {
  return JSON.parse(localStorage.getItem(storageKey) ?? '[]')
}

/** What can be done with a section that the viewer made. */
export function SectionMenu({ name }: { name: string }) {
  const session = useSession()
  const [isRenaming, setRenaming] = useState(false)
  const label = t('channel.menu', { name })
  return (
    <>
      <Menu
        label={label}
        trigger={(props) => <IconButton label={label} icon="ellipsis" look="tiny" {...props} />}
        items={() =>
          loadLater(() => import('./section-menu-items.ts')).then(({ sectionMenuItems }) =>
            sectionMenuItems(session, name, () => setRenaming(true)),
          )
        }
      />
      {isRenaming && (
        <Suspense>
          <SectionDialog section={name} onClose={() => setRenaming(false)} />
        </Suspense>
      )}
    </>
  )
}
