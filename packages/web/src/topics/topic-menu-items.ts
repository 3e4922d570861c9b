import { mayInRealm } from '@parley/api/permissions'
import { topicPolicies } from '@parley/api/topic-policies'
import { narrows } from '@parley/client/messages/narrow'
import type { Session } from '@parley/client/session/session'
import { copyLink } from '../messages/actions.ts'
import { mayDeleteTopic } from '../permissions/messages.ts'
import { runCommand } from '../platform/commands.ts'
import { t } from '../platform/i18n.ts'
import { act } from '../session/act.ts'
import { narrowHash } from '../session/links.ts'
import type { MenuItems } from '../ui/menu.tsx'
import {
  deleteTopic,
  isResolved,
  markTopicRead,
  setTopicPolicy,
  toggleMuted,
  toggleResolved,
  unreadIn,
} from './actions.ts'
import { newestIn, type TopicPlace } from './moving.ts'

/** What the viewer may do with a topic. Renaming and moving need a dialog, which `open` shows. */
export function topicMenuItems(
  session: Session,
  place: TopicPlace,
  open: (dialog: 'rename' | 'move') => void,
  onDetails: (() => void) | undefined,
): MenuItems {
  const store = session.store!
  const { stream_id, topic } = place
  const isFollowed = store.topics.policyOf(stream_id, topic) === topicPolicies.followed
  return [
    {
      label: isFollowed ? t('topic.unfollow') : t('topic.follow'),
      icon: 'bell-ring',
      onSelect: () => setTopicPolicy(session, place, isFollowed ? topicPolicies.none : topicPolicies.followed),
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
    mayInRealm(store.viewer, store.realm, 'can_resolve_topics_group') && {
      label: isResolved(topic) ? t('topic.reopen') : t('topic.resolve'),
      icon: 'check',
      onSelect: () => void toggleResolved(session, place),
    },
    mayInRealm(store.viewer, store.realm, 'can_move_messages_between_topics_group') && {
      label: t('topic.rename'),
      icon: 'pencil-line',
      onSelect: () => open('rename'),
    },
    mayInRealm(store.viewer, store.realm, 'can_move_messages_between_channels_group') && {
      label: t('topic.moveChannel'),
      icon: 'arrow-left',
      onSelect: () => open('move'),
    },
    onDetails !== undefined && {
      label: t('keys.jumpToDate'),
      icon: 'calendar',
      onSelect: () => void runCommand('jumpToDate'),
    },
    onDetails !== undefined && { label: t('topic.about'), icon: 'users-round', onSelect: onDetails },
    { label: t('message.copyLink'), icon: 'link', onSelect: () => void act(copyTopicLink(session, place)) },
    mayDeleteTopic(store) && {
      label: t('common.delete'),
      icon: 'trash',
      isDanger: true,
      onSelect: () => deleteTopic(session, place),
    },
  ]
}

/** With the id of a message, so that the link survives a rename. */
async function copyTopicLink(session: Session, place: TopicPlace): Promise<void> {
  const newest = await newestIn(session, place)
  const hash = narrowHash(narrows.topic(place.stream_id, place.topic), session.store!)
  await copyLink(newest ? `${hash}/with/${newest.id}` : hash)
}
