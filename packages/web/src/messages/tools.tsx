import type { ShownMessage } from '@parley/client/messages/cache'
import { narrows, othersOf } from '@parley/client/narrow'
import { useState } from 'react'
import { glyphOf, quickEmoji } from '../platform/emoji.ts'
import { useSession, useStore } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { IconButton } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import { copyLink, deleteMessage, toggleReaction, toggleStar } from './actions.ts'
import { EmojiPicker } from './emoji-picker.tsx'
import { SourceDialog } from './source-dialog.tsx'

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
  const [opened, setOpened] = useState<'emoji' | 'source' | undefined>()
  const isOwn = message.sender_id === session.viewerId
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
          isOwn && { label: 'Edit', icon: 'pencil-line', onSelect: onEdit },
          { label: 'Copy link', icon: 'link', onSelect: () => void copyLink(linkTo(message, session.viewerId, store)) },
          { label: 'Mark unread from here', icon: 'eye-off', onSelect: () => onMarkUnread(message) },
          { label: 'View source', icon: 'code', onSelect: () => setOpened('source') },
          isOwn && { label: 'Delete', icon: 'trash', isDanger: true, onSelect: () => deleteMessage(session, message) },
        ]}
      />
      {opened === 'emoji' && (
        <EmojiPicker onClose={() => setOpened(undefined)} onPick={(emoji) => toggleReaction(session, message, emoji)} />
      )}
      {opened === 'source' && <SourceDialog id={message.id} onClose={() => setOpened(undefined)} />}
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
