import type { ShownMessage } from '@parley/client/messages/cache'
import { narrows, othersOf } from '@parley/client/narrow'
import { lazy, Suspense, useState } from 'react'
import { glyphOf, quickEmoji } from '../platform/emoji.ts'
import { useSession, useStore } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { IconButton } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import { copyLink, deleteMessage, toggleCollapsed, toggleReaction, toggleStar } from './actions.ts'
import { mayDelete, mayEdit, mayMoveChannel, mayMoveTopic } from './permissions.ts'

const EmojiPicker = lazy(() => import('./emoji-picker.tsx').then((one) => ({ default: one.EmojiPicker })))
const SourceDialog = lazy(() => import('./source-dialog.tsx').then((one) => ({ default: one.SourceDialog })))
const MoveDialog = lazy(() => import('./move-dialog.tsx').then((one) => ({ default: one.MoveDialog })))
const HistoryDialog = lazy(() => import('./history-dialog.tsx').then((one) => ({ default: one.HistoryDialog })))
const ReceiptsDialog = lazy(() => import('./receipts-dialog.tsx').then((one) => ({ default: one.ReceiptsDialog })))

type Opened = 'emoji' | 'source' | 'move' | 'history' | 'receipts'

interface ToolsProps {
  message: ShownMessage
  onEdit: () => void
  onQuote: (message: ShownMessage) => void
  onMarkUnread: (message: ShownMessage) => void
}

/** What can be done with a message. Shown on hover and on focus. */
export function Tools({ message, onEdit, onQuote, onMarkUnread }: ToolsProps) {
  const session = useSession()
  const store = useStore()
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)
  const isEdited = message.last_edit_timestamp !== undefined || message.edit_history !== undefined
  const isStarred = message.flags.includes('starred')
  return (
    <div className="tools" role="toolbar" aria-label="Message actions">
      {quickEmoji.slice(0, 2).map((emoji) => (
        <button
          key={emoji.emoji_code}
          type="button"
          className="btn square tiny emoji"
          aria-label={`React with ${emoji.emoji_name}`}
          onClick={() => toggleReaction(session, message, emoji)}
        >
          {glyphOf(emoji.emoji_code)}
        </button>
      ))}
      <IconButton
        label="Add reaction"
        icon="face-slightly-smiling-plus"
        look="tiny"
        onClick={() => setOpened('emoji')}
      />
      <IconButton label="Quote and reply" icon="quote" look="tiny" onClick={() => onQuote(message)} />
      <IconButton
        label={isStarred ? 'Remove star' : 'Star'}
        icon="star"
        look={isStarred ? 'tiny on' : 'tiny'}
        onClick={() => toggleStar(session, message)}
      />
      <Menu
        label="More actions"
        trigger={(props) => <IconButton label="More" icon="ellipsis" look="tiny" {...props} />}
        items={[
          mayEdit(store, message) && { label: 'Edit', icon: 'pencil-line', onSelect: onEdit },
          (mayMoveTopic(store, message) || mayMoveChannel(store, message)) && {
            label: 'Move',
            icon: 'arrow-left',
            onSelect: () => setOpened('move'),
          },
          { label: 'Copy link', icon: 'link', onSelect: () => void copyLink(linkTo(message, session.viewerId, store)) },
          { label: 'Mark unread from here', icon: 'eye-off', onSelect: () => onMarkUnread(message) },
          { label: 'View source', icon: 'code', onSelect: () => setOpened('source') },
          isEdited && { label: 'Edit history', icon: 'rotate-ccw-clock', onSelect: () => setOpened('history') },
          store.realm.settings.enable_read_receipts === true && {
            label: 'Read receipts',
            icon: 'check-check',
            onSelect: () => setOpened('receipts'),
          },
          {
            label: message.flags.includes('collapsed') ? 'Expand' : 'Collapse',
            icon: 'chevrons-up-down',
            onSelect: () => toggleCollapsed(session, message),
          },
          mayDelete(store, message) && {
            label: 'Delete',
            icon: 'trash',
            isDanger: true,
            onSelect: () => deleteMessage(session, message),
          },
        ]}
      />
      {opened && (
        <Suspense>
          {opened === 'emoji' && (
            <EmojiPicker onClose={close} onPick={(emoji) => toggleReaction(session, message, emoji)} />
          )}
          {opened === 'source' && <SourceDialog id={message.id} onClose={close} />}
          {opened === 'move' && <MoveDialog message={message} onClose={close} />}
          {opened === 'history' && <HistoryDialog id={message.id} onClose={close} />}
          {opened === 'receipts' && <ReceiptsDialog id={message.id} onClose={close} />}
        </Suspense>
      )}
    </div>
  )
}

/** A link to the message in its conversation. */
export function linkTo(message: ShownMessage, viewerId: number, store: Parameters<typeof narrowHash>[1]): string {
  const narrow =
    message.type === 'stream'
      ? narrows.topic(message.stream_id!, message.subject)
      : narrows.direct(othersOf(message, viewerId))
  return narrowHash(narrow, store, message.id)
}
