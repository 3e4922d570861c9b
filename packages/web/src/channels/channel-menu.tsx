import { Suspense, useState } from 'react'
import { t } from '../platform/i18n.ts'
import { useSession } from '../session/context.tsx'
import { loadLater } from '../session/later.ts'
import { lazyPart } from '../session/lazy-part.tsx'
import { IconButton } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'

const PinsDialog = lazyPart(() => import('./pins-dialog.tsx').then((one) => one.PinsDialog))
const MoveChannelDialog = lazyPart(() => import('./move-channel-dialog.tsx').then((one) => one.MoveChannelDialog))

interface ChannelMenuProps {
  channelId: number
  name: string
  look?: string
}

/** What can be done with a channel: the same in the sidebar, in the list of a phone and in the header. */
export function ChannelMenu({ channelId, name, look = '' }: ChannelMenuProps) {
  const session = useSession()
  const [opened, setOpened] = useState<'move' | 'pins'>()
  const close = () => setOpened(undefined)
  const items = async () => {
    const { channelMenuItems } = await loadLater(() => import('./channel-menu-items.ts'))
    return channelMenuItems(session, channelId, setOpened)
  }
  return (
    <>
      <Menu
        label={t('channel.menu', { name })}
        trigger={(props) => (
          <IconButton label={t('channel.menu', { name })} icon="ellipsis-vertical" look={look} {...props} />
        )}
        items={items}
      />
      {opened && (
        <Suspense>
          {opened === 'move' && <MoveChannelDialog channelId={channelId} onClose={close} />}
          {opened === 'pins' && <PinsDialog channelId={channelId} onClose={close} />}
        </Suspense>
      )}
    </>
  )
}
