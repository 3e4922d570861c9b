import { narrows } from '@parley/client/narrow'
import { Suspense, useState } from 'react'
import { t } from '../platform/i18n.ts'
import { lazyPart } from '../session/lazy-part.tsx'
import './topics.css'
import { copyLink } from '../messages/actions.ts'
import { act } from '../session/act.ts'
import { useSession, useStore } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { mayInRealm } from '../session/permissions.ts'
import { IconButton } from '../ui/button.tsx'
import { Menu, type MenuItem } from '../ui/menu.tsx'
import {
  deleteTopic,
  isResolved,
  markTopicRead,
  mayDeleteTopic,
  policies,
  setTopicPolicy,
  toggleMuted,
  toggleResolved,
  unreadIn,
} from './actions.ts'
import { newestIn, type TopicPlace } from './moving.ts'

const TopicDialog = lazyPart(() => import('./topic-dialog.tsx').then((one) => one.TopicDialog))

interface TopicMenuProps {
  place: TopicPlace
  look?: string
  onDetails?: () => void
}

/** What can be done with a topic, behind a button. */
export function TopicMenu({ place, look = '', onDetails }: TopicMenuProps) {
  const session = useSession()
  const store = useStore()
  const [opened, setOpened] = useState<'rename' | 'move'>()
  const { stream_id, topic } = place
  const isFollowed = store.topics.policyOf(stream_id, topic) === policies.followed
  const items = (): (MenuItem | false)[] => [
    {
      label: isFollowed ? t('topic.unfollow') : t('topic.follow'),
      icon: 'bell-ring',
      onSelect: () => setTopicPolicy(session, place, isFollowed ? policies.none : policies.followed),
    },
    {
      label: store.topics.isMuted(stream_id, topic) ? t('people.unmute') : t('people.mute'),
      icon: 'eye-off',
      onSelect: () => toggleMuted(session, place),
    },
    unreadIn(store, place).length > 0 && {
      label: t('topic.markRead'),
      icon: 'check-check',
      onSelect: () => markTopicRead(session, place),
    },
    mayInRealm(store, 'can_resolve_topics_group') && {
      label: isResolved(topic) ? t('topic.reopen') : t('topic.resolve'),
      icon: 'check',
      onSelect: () => void toggleResolved(session, place),
    },
    mayInRealm(store, 'can_move_messages_between_topics_group') && {
      label: t('topic.rename'),
      icon: 'pencil-line',
      onSelect: () => setOpened('rename'),
    },
    mayInRealm(store, 'can_move_messages_between_channels_group') && {
      label: t('topic.moveChannel'),
      icon: 'arrow-left',
      onSelect: () => setOpened('move'),
    },
    onDetails !== undefined && { label: t('topic.about'), icon: 'users-round', onSelect: onDetails },
    { label: t('message.copyLink'), icon: 'link', onSelect: () => void act(copyTopicLink()) },
    mayDeleteTopic(store) && {
      label: t('common.delete'),
      icon: 'trash',
      isDanger: true,
      onSelect: () => deleteTopic(session, place),
    },
  ]
  /** With the id of a message, so that the link survives a rename. */
  const copyTopicLink = async () => {
    const newest = await newestIn(session, place)
    const hash = narrowHash(narrows.topic(stream_id, topic), store)
    await copyLink(newest ? `${hash}/with/${newest.id}` : hash)
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
