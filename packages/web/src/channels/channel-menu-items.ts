import { mayJoin } from '@parley/api/channel-permissions'
import { narrows } from '@parley/client/messages/narrow'
import type { Session } from '@parley/client/session/session'
import { changeFlag, copyLink } from '../messages/actions.ts'
import { mayPin } from '../permissions/messages.ts'
import { t } from '../platform/i18n.ts'
import { goTo } from '../platform/routing.ts'
import { act } from '../session/act.ts'
import { narrowHash } from '../session/links.ts'
import { channelSectionHash } from '../settings/channels/channels-model.ts'
import type { MenuItem } from '../ui/menu.tsx'
import { holdAct } from '../ui/toast.tsx'
import { shiftChannel } from './arrange.ts'

type Items = (MenuItem | undefined | false)[]

/** What the viewer may do with a channel that they joined or can see. */
export function channelMenuItems(session: Session, id: number, open: (dialog: 'move' | 'pins') => void): Items {
  const { subscribed } = session.store!.channels
  return [
    ...(subscribed.has(id) ? ownItems(session, id, open) : joinItems(session, id)),
    { label: t('members.title'), icon: 'users-round', onSelect: () => goTo(channelSectionHash(id, 'members')) },
    {
      label: t('message.copyLink'),
      icon: 'link',
      onSelect: () => void act(copyLink(narrowHash(narrows.channel(id), session.store!))),
    },
    mayPin(session.store!, id) && { label: t('pins.title'), icon: 'pin', onSelect: () => open('pins') },
    { label: t('channel.settings'), icon: 'settings', onSelect: () => goTo(`#channels/${id}`) },
    subscribed.has(id) && leaveItem(session, id),
  ]
}

function ownItems(session: Session, id: number, open: (dialog: 'move' | 'pins') => void): Items {
  const own = session.store!.channels.subscribed.get(id)!
  const unread = unreadOf(session, id)
  const toggle = (property: 'is_muted' | 'pin_to_top', done: string) => {
    const put = (value: boolean) =>
      session.client.call('updateSubscription', { path: { stream_id: id }, property, value })
    const before = own[property]
    return () => void act(put(!before), done, () => void act(put(before)))
  }
  const { name } = own
  const [up, down] = [shiftChannel(session, id, -1), shiftChannel(session, id, 1)]
  return [
    unread.length > 0 && { label: t('topic.markRead'), icon: 'check-check', onSelect: () => markRead(session, unread) },
    {
      label: own.pin_to_top ? t('channel.unpin') : t('channel.pin'),
      icon: 'pin',
      onSelect: toggle(
        'pin_to_top',
        own.pin_to_top ? t('channel.unpinned', { name }) : t('channel.pinnedNow', { name }),
      ),
    },
    {
      label: own.is_muted ? t('people.unmute') : t('people.mute'),
      icon: 'eye-off',
      onSelect: toggle('is_muted', own.is_muted ? t('channel.unmuted', { name }) : t('channel.mutedNow', { name })),
    },
    { label: t('sidebar.moveTo'), icon: 'folder-input', onSelect: () => open('move') },
    up && { label: t('sidebar.up'), icon: 'arrow-up', onSelect: up },
    down && { label: t('sidebar.down'), icon: 'arrow-down', onSelect: down },
  ]
}

function joinItems(session: Session, id: number): Items {
  const { channels, viewer } = session.store!
  const channel = channels.neverSubscribed.get(id) ?? channels.left.get(id)
  if (!channel || !mayJoin(viewer, channel)) return []
  const { name } = channel
  return [
    {
      label: t('channel.join'),
      icon: 'plus',
      onSelect: () =>
        void act(join(session, name), t('channel.joined', { name }), () => void act(leave(session, name))),
    },
  ]
}

/** Who has left a private channel cannot join it again, so that leaving waits as long as it can be undone. */
function leaveItem(session: Session, id: number): MenuItem {
  const { name, invite_only } = session.store!.channels.subscribed.get(id)!
  const text = t('channel.left', { name })
  const now = () => void act(leave(session, name), text, () => void act(join(session, name)))
  const later = () => void holdAct(t('channel.leaving', { name }), () => void act(leave(session, name)))
  return { label: t('channel.leave'), icon: 'log-out', isDanger: true, onSelect: invite_only ? later : now }
}

const join = (session: Session, name: string) => session.client.call('subscribe', { subscriptions: [{ name }] })
const leave = (session: Session, name: string) => session.client.call('unsubscribe', { subscriptions: [name] })

function unreadOf({ store }: Session, id: number): number[] {
  const ofChannel = [...store!.unread.conversations.values()].filter(
    ({ place }) => 'stream_id' in place && place.stream_id === id,
  )
  return ofChannel.flatMap(({ ids }) => [...ids])
}

function markRead(session: Session, messages: number[]): void {
  const flag = (op: 'add' | 'remove') => changeFlag(session, op, 'read', messages)
  void act(flag('add'), t('inbox.marked'), () => void act(flag('remove')))
}
