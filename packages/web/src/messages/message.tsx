import type { ShownMessage } from '@parley/client/messages/cache'
import { memo, Suspense, useState } from 'react'
import { Avatar } from '../people/avatar.tsx'
import { PersonButton } from '../people/person-button.tsx'
import { failureText } from '../platform/error-text.ts'
import { t } from '../platform/i18n.ts'
import { clockTime, exactTime } from '../platform/times.ts'
import { Rendered } from '../rendered/rendered.tsx'
import { useSession, useStore } from '../session/context.tsx'
import { lazyPart } from '../session/lazy-part.tsx'
import { Button } from '../ui/button.tsx'
import { openMenuByTouch } from '../ui/menu.tsx'
import { showToast } from '../ui/toast.tsx'
import { toggleCollapsed } from './actions.ts'
import { Editor } from './editor.tsx'
import { Reactions } from './reactions.tsx'
import { Tools } from './tools.tsx'
import { unsavedEditsOf, useUnsavedEdit } from './unsaved-edits.ts'

const Widget = lazyPart(() => import('./widget.tsx').then((one) => one.Widget))

export interface MessageProps {
  message: ShownMessage
  /** First of a group by the same sender: shows avatar and name. */
  isLead: boolean
  isSelected: boolean
  position: number
  onQuote: (message: ShownMessage) => void
  onMarkUnread: (message: ShownMessage) => void
}

/** One row of the feed. */
export const Message = memo(function Message({
  message,
  isLead,
  isSelected,
  position,
  onQuote,
  onMarkUnread,
}: MessageProps) {
  const edit = useUnsavedEdit(message.id)
  const [hasStarted, setStarted] = useState(false)
  // They are most of a row, and most rows are never used.
  const [hasTools, setHasTools] = useState(false)
  const session = useSession()
  const { viewerId } = session
  const { flags } = message
  const isMention = flags.some((flag) => flag === 'mentioned' || flag.includes('wildcard_mentioned'))
  const classes = [
    'msg',
    isLead && 'lead',
    !flags.includes('read') && 'is-unread',
    isMention && 'mentions',
    isSelected && 'selected',
    message.local_id && 'pending',
  ]
  return (
    <article
      className={classes.filter(Boolean).join(' ')}
      aria-label={`${message.sender_full_name}, ${clockTime(message.timestamp)}`}
      aria-posinset={position}
      aria-setsize={-1}
      tabIndex={isSelected ? 0 : -1}
      data-message-id={message.id}
      onPointerEnter={() => setHasTools(true)}
      onFocus={() => setHasTools(true)}
      onContextMenu={openMenuByTouch}
    >
      <div className="gut">
        {isLead ? (
          <Avatar userId={message.sender_id} name={message.sender_full_name} url={message.avatar_url ?? null} />
        ) : (
          <time title={exactTime(message.timestamp)}>{clockTime(message.timestamp)}</time>
        )}
      </div>
      <div>
        {isLead && (
          <header>
            <PersonButton userId={message.sender_id} name={message.sender_full_name} />
            <time title={exactTime(message.timestamp)}>{clockTime(message.timestamp)}</time>
            <Marks message={message} />
          </header>
        )}
        {edit ? (
          <Editor message={message} text={edit.text} hasFocus={hasStarted} />
        ) : (
          <Content message={message} viewerId={viewerId} />
        )}
        {!isLead && (
          <span className="marks">
            <Marks message={message} />
          </span>
        )}
        <Reactions message={message} />
        {message.failure !== undefined && <NotSent message={message} />}
      </div>
      {!message.local_id && (hasTools || isSelected) && (
        <Tools
          message={message}
          isSelected={isSelected}
          onEdit={() => {
            setStarted(true)
            unsavedEditsOf(session).start(message)
          }}
          onQuote={onQuote}
          onMarkUnread={onMarkUnread}
        />
      )}
    </article>
  )
})

function Marks({ message: { last_edit_timestamp, flags } }: { message: ShownMessage }) {
  return (
    <>
      {last_edit_timestamp && <span className="edited">{t('message.edited')}</span>}
      {flags.includes('starred') && (
        <span className="starred" role="img" aria-label={t('nav.starred')}>
          ★
        </span>
      )}
    </>
  )
}

/** What the message says, unless the viewer collapsed it or muted its sender. */
function Content({ message, viewerId }: { message: ShownMessage; viewerId: number }) {
  const session = useSession()
  const store = useStore()
  const [isRevealed, setRevealed] = useState(false)
  if (store.mutedUsers.has(message.sender_id) && !isRevealed)
    return (
      <p className="quiet">
        {t('message.mutedSender')} <Button onClick={() => setRevealed(true)}>{t('message.show')}</Button>
      </p>
    )
  if (message.flags.includes('collapsed'))
    return (
      <p className="quiet">
        {t('message.collapsed')} <Button onClick={() => toggleCollapsed(session, message)}>{t('message.show')}</Button>
      </p>
    )
  const text = <Rendered html={message.content} viewerId={viewerId} />
  if (message.submessages.length === 0) return text
  return (
    <Suspense fallback={text}>
      <Widget message={message} />
    </Suspense>
  )
}

function NotSent({ message }: { message: ShownMessage }) {
  const { outbox } = useSession()
  const discard = () => {
    const discarded = outbox.discard(message.local_id!)
    if (discarded) showToast({ text: t('message.discarded'), undo: () => outbox.restore(discarded) })
  }
  return (
    <p className="not-sent" role="alert">
      {t('message.notSent', { reason: failureText(message.failure ?? '') })}
      <Button look="outline" icon="refresh" onClick={() => outbox.retry(message.local_id!)}>
        {t('common.tryAgain')}
      </Button>
      <Button onClick={discard}>{t('common.discard')}</Button>
    </p>
  )
}
