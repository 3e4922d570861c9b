import { narrows, usersOf } from '@parley/client/messages/narrow'
import { memo, Suspense, useDeferredValue, useState } from 'react'
import { PresentAvatar } from '../people/avatar.tsx'
import { namesOf } from '../people/presence.ts'
import { useMayCreateChannel } from '../permissions/use-may.ts'
import { runCommand } from '../platform/commands.ts'
import { t } from '../platform/i18n.ts'
import { keyLabel } from '../platform/keys.ts'
import { goTo, useHash } from '../platform/routing.ts'
import { useCalmStore, useSession } from '../session/context.tsx'
import { lazyPart } from '../session/lazy-part.tsx'
import { narrowHash, parseFiles, parseNarrow, parseTopics } from '../session/links.ts'
import { IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useChannelDrag } from './dragging.ts'
import { Find, useUnreadOnly } from './find.tsx'
import { ChannelItem, Item } from './items.tsx'
import { Me } from './me.tsx'
import { channelSections, directEntries, firstChannels, unreadSections } from './model.ts'
import { Screens } from './screens.tsx'
import { Section, SectionDialog, SectionMenu } from './section.tsx'

const FoundPlaces = lazyPart(() => import('./found.tsx').then((one) => one.FoundPlaces))

interface SidebarProps {
  onJump: () => void
  onNewMessage: (kind?: 'channel') => void
}

export const Sidebar = memo(function Sidebar({ onJump, onNewMessage }: SidebarProps) {
  const store = useCalmStore()
  const hash = useHash()
  const [query, setQuery] = useState('')
  const [isUnreadOnly, setUnreadOnly] = useUnreadOnly()
  return (
    <aside className="side" aria-label={t('nav.navigation')}>
      <div className="org">
        <span className="mark">
          <Icon name="waves-horizontal" />
        </span>
        <span className="name">{String(store.realm.settings.name ?? 'Parley')}</span>
        <IconButton label={t('sidebar.newMessage')} icon="square-pen" look="primary" onClick={() => onNewMessage()} />
      </div>
      <button type="button" className="jump" onClick={onJump}>
        <Icon name="search" size="s" /> <span>{t('palette.title')}</span> <kbd>{keyLabel('Ctrl+k')}</kbd>
      </button>
      <Find query={query} onQuery={setQuery} isUnreadOnly={isUnreadOnly} onUnreadOnly={setUnreadOnly} />
      <nav aria-label={t('nav.conversations')}>
        {query.trim() === '' ? (
          <>
            <Screens store={store} hash={hash} isUnreadOnly={isUnreadOnly} />
            <Direct hash={hash} isUnreadOnly={isUnreadOnly} />
            <Channels hash={hash} isUnreadOnly={isUnreadOnly} onShowAll={() => setUnreadOnly(false)} />
          </>
        ) : (
          <Suspense>
            <FoundPlaces query={query.trim()} />
          </Suspense>
        )}
      </nav>
      <Me />
    </aside>
  )
})

interface PartProps {
  hash: string
  isUnreadOnly: boolean
}

function openNarrow(hash: string) {
  const listed = parseTopics(hash) ?? parseFiles(hash)
  return listed === undefined ? (parseNarrow(hash)?.narrow ?? []) : narrows.channel(listed)
}

function Direct({ hash, isUnreadOnly }: PartProps) {
  const store = useCalmStore()
  const { viewerId } = useSession()
  const open = usersOf(openNarrow(hash))?.join()
  const entries = directEntries(store, 8)
  const shown = entries.filter(({ userIds, unread }) => !isUnreadOnly || unread > 0 || userIds.join() === open)
  return (
    <Section
      id="direct"
      name={t('sidebar.direct')}
      unread={entries.reduce((sum, { unread }) => sum + unread, 0)}
      end={<IconButton label={t('keys.newDirect')} icon="plus" look="tiny" onClick={() => runCommand('newDirect')} />}
    >
      {shown.map(({ userIds, unread }) => (
        <Item
          key={userIds.join()}
          href={narrowHash(narrows.direct(userIds), store)}
          isOpen={open === userIds.join()}
          unread={unread}
          title={namesOf(store, userIds)}
        >
          <PresentAvatar userId={userIds[0] ?? viewerId} />
          <span className="name">{namesOf(store, userIds)}</span>
        </Item>
      ))}
    </Section>
  )
}

function Channels({ hash, isUnreadOnly, onShowAll }: PartProps & { onShowAll: () => void }) {
  const store = useCalmStore()
  const session = useSession()
  const mayCreate = useMayCreateChannel()
  const [isNaming, setNaming] = useState(false)
  const open = openNarrow(hash)
  const limit = useDeferredValue(Number.POSITIVE_INFINITY, fittingItems())
  const all = channelSections(store)
  const { sections, hidden } = isUnreadOnly ? unreadSections(all, open) : { sections: all, hidden: 0 }
  const drag = useChannelDrag(session, all)
  return (
    <div {...drag.props}>
      {firstChannels(sections, limit).map(({ key, name, isOwn, channels }) => (
        <Section
          key={key}
          id={key}
          name={name}
          unread={channels.reduce((sum, { unread, isMuted }) => sum + (isMuted ? 0 : unread), 0)}
          end={
            isOwn ? (
              <SectionMenu name={name} />
            ) : (
              mayCreate && (
                <IconButton label={t('channel.new')} icon="plus" look="tiny" onClick={() => goTo('#channels/new')} />
              )
            )
          }
        >
          {channels.map((channel) => (
            <ChannelItem
              key={channel.id}
              channel={channel}
              store={store}
              open={open}
              isUnreadOnly={isUnreadOnly}
              isDropPlace={drag.place?.section === key && drag.place.before === channel.id}
            />
          ))}
          {drag.place?.section === key && drag.place.before === undefined && <div className="drop-line" />}
          {channels.length === 0 && <p className="quiet">{t('sidebar.emptySection')}</p>}
        </Section>
      ))}
      {hidden > 0 && (
        <button type="button" className="item quiet" onClick={onShowAll}>
          <Icon name="eye-off" />
          <span className="name">{t('sidebar.hidden', { count: hidden })}</span>
        </button>
      )}
      <button type="button" className="item quiet" onClick={() => setNaming(true)}>
        <Icon name="folder-plus" />
        <span className="name">{t('sidebar.newSection')}</span>
      </button>
      <a className="item quiet" href="#channels">
        <Icon name="plus" />
        <span className="name">{t('sidebar.browse')}</span>
      </a>
      {isNaming && (
        <Suspense>
          <SectionDialog onClose={() => setNaming(false)} />
        </Suspense>
      )}
    </div>
  )
}

/** As many channels as a screen can show at most. The others are rendered after the first messages. */
function fittingItems(): number {
  return Math.ceil(window.innerHeight / 28)
}
