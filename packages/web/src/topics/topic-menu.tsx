import { Suspense, useState } from 'react'
import { t } from '../platform/i18n.ts'
import { loadLater } from '../session/later.ts'
import { lazyPart } from '../session/lazy-part.tsx'
import './topics.css'
import { useSession } from '../session/context.tsx'
import { IconButton } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import type { TopicPlace } from './moving.ts'

const TopicDialog = lazyPart(() => import('./topic-dialog.tsx').then((one) => one.TopicDialog))

interface TopicMenuProps {
  place: TopicPlace
  look?: string
  onDetails?: () => void
}

/** What can be done with a topic, behind a button. */
export function TopicMenu({ place, look = '', onDetails }: TopicMenuProps) {
  const session = useSession()
  const [opened, setOpened] = useState<'rename' | 'move'>()
  const items = async () => {
    const { topicMenuItems } = await loadLater(() => import('./topic-menu-items.ts'))
    return topicMenuItems(session, place, setOpened, onDetails)
  }
  return (
    <>
      <Menu
        label={t('topic.actions')}
        trigger={(props) => <IconButton label={t('topic.actions')} icon="ellipsis-vertical" look={look} {...props} />}
        items={items}
      />
      {opened && (
        <Suspense>
          <TopicDialog place={place} hasChannel={opened === 'move'} onClose={() => setOpened(undefined)} />
        </Suspense>
      )}
    </>
  )
}
