import type { ShownMessage } from '@parley/client/messages/cache'
import { memo, type ReactNode, Suspense, useLayoutEffect, useRef, useState } from 'react'
import { Avatar } from '../people/avatar.tsx'
import { PersonButton } from '../people/person-button.tsx'
import { failureText } from '../platform/error-text.ts'
import { t } from '../platform/i18n.ts'
import { clockTime, exactTime, narrowTime } from '../platform/times.ts'
import { actionHtml, isAction } from '../rendered/plain-text.ts'
import { Rendered } from '../rendered/rendered.tsx'
import { useSession, useSlices } from '../session/context.tsx'
import { earlyPart, lazyPart } from '../session/lazy-part.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { openMenuByTouch } from '../ui/menu.tsx'
import { showToast } from '../ui/toast.tsx'
import { toggleCollapsed } from './actions.ts'
import { useHeldDeletion } from './held-deletions.ts'
import { linkedIds, linkTo } from './links.ts'
import { Reactions } from './reactions.tsx'
import { unsavedEditsOf, useUnsavedEdit } from './unsaved-edits.ts'

const Editor = earlyPart(() => import('./editor.tsx').then((one) => one.Editor))
const Tools = earlyPart(() => import('./tools.tsx').then((one) => one.Tools))
const LinkedMessage = lazyPart(() => import('./linked-message.tsx').then((one) => one.LinkedMessage))
const HistoryDialog = lazyPart(() => import('./history-dialog.tsx').then((one) => one.HistoryDialog))
const Widget = lazyPart(() => import('./widget.tsx').then((one) => one.Widget))

export interface MessageProps {
  message: ShownMessage
  /** First of a group by the same sender: shows avatar and name. */
  isLead: boolean
  isSelected: boolean
  /** Unread, or it was when the feed was opened. */
  isFresh: boolean
  /** The link that was opened means this message. */
  isLinked: boolean
  position: number
  onQuote: (message: ShownMessage) => void
  onMarkUnread: (message: ShownMessage) => void
}

/** One row of the feed. */
export const Message = memo(function Message({
  message,
  isLead,
  isSelected,
  isFresh,
  isLinked,
  position,
  onQuote,
  onMarkUnread,
}: MessageProps) {
  const edit = useUnsavedEdit(message.id)
  const undoDeletion = useHeldDeletion(message)
  const [hasStarted, setStarted] = useState(false)
  // They are most of a row, and most rows are never used.
  const [hasTools, setHasTools] = useState(false)
  const session = useSession()
  const { viewerId } = session
  const { flags } = message
  const isActing = isAction(message.content)
  const isMention = flags.some((flag) => flag === 'mentioned' || flag.includes('wildcard_mentioned'))
  const classes = [
    'msg',
    isLead && 'lead',
    isActing && 'action',
    !flags.includes('read') && 'is-unread',
    isFresh && 'is-fresh',
    isMention && 'mentions',
    isSelected && 'selected',
    isLinked && 'linked',
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
          <Time message={message} text={narrowTime(message.timestamp)} />
        )}
      </div>
      <div>
        {isLead && !isActing && (
          <header>
            <PersonButton userId={message.sender_id} name={message.sender_full_name} />
            <Time message={message} text={clockTime(message.timestamp)} />
          </header>
        )}
        {undoDeletion ? (
          <Deleted onUndo={undoDeletion} />
        ) : edit ? (
          <Suspense fallback={<Content message={message} viewerId={viewerId} />}>
            <Editor message={message} text={edit.text} hasFocus={hasStarted} />
          </Suspense>
        ) : (
          <Content message={message} viewerId={viewerId} />
        )}
        {!undoDeletion && <Reactions message={message} />}
        {message.failure !== undefined && <NotSent message={message} />}
      </div>
      {!message.local_id && !undoDeletion && session.mayAct && (hasTools || isSelected) && (
        <Suspense>
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
        </Suspense>
      )}
    </article>
  )
})

/** A link to the message. Tab does not stop there: the menu copies the link. */
function Time({ message, text }: { message: ShownMessage; text: string }) {
  const { store, viewerId } = useSession()
  return (
    <time title={exactTime(message.timestamp)}>
      <a href={message.local_id ? undefined : linkTo(message, viewerId, store!)} tabIndex={-1}>
        {text}
      </a>
    </time>
  )
}

const agentPrefix = 'agent '

/** The name of the agent that wrote it with the sender's token. */
function agentOf({ client }: ShownMessage): string | undefined {
  return client.startsWith(agentPrefix) ? client.slice(agentPrefix.length) : undefined
}

/** Stands behind the text. */
function marksOf(message: ShownMessage): ReactNode {
  const { id, last_edit_timestamp, flags } = message
  const isStarred = flags.includes('starred')
  const agent = agentOf(message)
  if (!last_edit_timestamp && !isStarred && !agent && !message.isStreaming) return undefined
  return (
    <>
      {message.isStreaming && <span className="caret" role="img" aria-label={t('agent.writing')} />}
      {last_edit_timestamp && <Edited id={id} />}
      {agent && <span className="tag">{t('message.byAgent', { name: agent })}</span>}
      {isStarred && (
        <span className="starred" role="img" aria-label={t('nav.starred')}>
          ★
        </span>
      )}
    </>
  )
}

function Edited({ id }: { id: number }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" className="edited" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {t('message.edited')}
      </button>
      {isOpen && (
        <Suspense>
          <HistoryDialog id={id} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

/** What the message says, unless the viewer collapsed it or muted its sender. */
function Content({ message, viewerId }: { message: ShownMessage; viewerId: number }) {
  const session = useSession()
  const store = useSlices('mutedUsers')
  const [isRevealed, setRevealed] = useState(false)
  const marks = marksOf(message)
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
        <span className="marks">{marks}</span>
      </p>
    )
  const linked = linkedIds(message.content)
  const text = (
    <>
      <Words message={message} viewerId={viewerId} marks={marks} />
      {linked.map((id) => (
        <Suspense key={id} fallback={<div className="card-quote" />}>
          <LinkedMessage id={id} />
        </Suspense>
      ))}
    </>
  )
  if (message.submessages.length === 0) return text
  return (
    <Suspense fallback={text}>
      <Widget message={message} />
      <span className="marks">{marks}</span>
    </Suspense>
  )
}

/** The text; "Ines waves", an action, has the name of its sender in its line. */
function Words({ message, viewerId, marks }: { message: ShownMessage; viewerId: number; marks: ReactNode }) {
  const text = (
    <Rendered html={actionHtml(message.content)} viewerId={viewerId}>
      {marks}
    </Rendered>
  )
  if (!isAction(message.content)) return text
  return (
    <div>
      <PersonButton userId={message.sender_id} name={message.sender_full_name} /> {text}
    </div>
  )
}

/** In the place of a message that is being deleted, and of its menu, which had the focus. */
function Deleted({ onUndo }: { onUndo: () => void }) {
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    if (document.activeElement === document.body) button.current?.focus({ preventScroll: true })
  }, [])
  return (
    <p className="quiet deleted">
      <Icon name="trash" size="s" /> {t('message.deleted')}
      <Button ref={button} look="tiny" onClick={onUndo}>
        {t('common.undo')}
      </Button>
    </p>
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
