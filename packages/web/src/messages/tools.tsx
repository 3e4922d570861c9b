import type { ShownMessage } from '@parley/client/messages/cache'
import { narrows } from '@parley/client/messages/narrow'
import type { Session } from '@parley/client/session/session'
import { glyphOf } from '@parley/markdown/glyph'
import { Suspense, useRef, useState } from 'react'
import { focusComposer, writeIn } from '../compose/focus.ts'
import { quoteOf } from '../compose/quote.ts'
import { whyQuestion } from '../notify/question.ts'
import { mayDelete, mayEdit, mayHidePreviews, mayMoveChannel, mayMoveTopic, mayPin } from '../permissions/messages.ts'
import { useCommands } from '../platform/commands.ts'
import { quickEmoji } from '../platform/emoji.ts'
import { t } from '../platform/i18n.ts'
import { goTo } from '../platform/routing.ts'
import { act } from '../session/act.ts'
import { useSession, useStore } from '../session/context.tsx'
import { lazyPart } from '../session/lazy-part.tsx'
import { narrowHash } from '../session/links.ts'
import { IconButton } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import {
  copyLink,
  deleteMessage,
  hidePreviews,
  pinMessage,
  toggleCollapsed,
  toggleReaction,
  toggleStar,
} from './actions.ts'
import { conversationOf, linkTo } from './links.ts'

const NewMessage = lazyPart(() => import('../compose/new-message.tsx').then((one) => one.NewMessage))
const EmojiPicker = lazyPart(() => import('./emoji-picker.tsx').then((one) => one.EmojiPicker))
const PersonCard = lazyPart(() => import('../people/person-card.tsx').then((one) => one.PersonCard))
const SourceDialog = lazyPart(() => import('./source-dialog.tsx').then((one) => one.SourceDialog))
const MoveDialog = lazyPart(() => import('./move-dialog.tsx').then((one) => one.MoveDialog))
const HistoryDialog = lazyPart(() => import('./history-dialog.tsx').then((one) => one.HistoryDialog))
const ReceiptsDialog = lazyPart(() => import('./receipts-dialog.tsx').then((one) => one.ReceiptsDialog))
const ReminderDialog = lazyPart(() => import('./reminder-dialog.tsx').then((one) => one.ReminderDialog))
const ReportDialog = lazyPart(() => import('./report-dialog.tsx').then((one) => one.ReportDialog))
const WhyDialog = lazyPart(() => import('../notify/why-dialog.tsx').then((one) => one.WhyDialog))

type Opened = 'emoji' | 'source' | 'move' | 'history' | 'receipts' | 'sender' | 'why' | 'reminder' | 'report'

interface ToolsProps {
  message: ShownMessage
  /** Its keys work while it is selected. */
  isSelected: boolean
  onEdit: () => void
  onQuote: (message: ShownMessage) => void
  onMarkUnread: (message: ShownMessage) => void
}

/** What can be done with a message. Shown on hover and on focus. */
export function Tools({ message, isSelected, onEdit, onQuote, onMarkUnread }: ToolsProps) {
  const session = useSession()
  const store = useStore()
  const [opened, setOpened] = useState<Opened>()
  const [forwarded, setForwarded] = useState<string>()
  const reactButton = useRef<HTMLButtonElement>(null)
  const close = () => setOpened(undefined)
  const isEdited = message.last_edit_timestamp !== undefined || message.edit_history !== undefined
  const isStarred = message.flags.includes('starred')
  const mayMove = mayMoveTopic(store, message) || mayMoveChannel(store, message)
  const hasReceipts = store.realm.settings.enable_read_receipts === true
  const hasReports = Number(store.realm.settings.moderation_request_channel_id ?? -1) > 0
  const row = () => document.querySelector<HTMLElement>(`[data-message-id="${message.id}"]`)
  const open = (what: Opened, isAllowed: boolean) => () => (isAllowed ? setOpened(what) : false)
  const conversation = () => linkTo(message, session.viewerId, store)
  const forward = () => void act(quoteOf(session, message).then(setForwarded))
  useCommands(
    {
      edit: () => (mayEdit(store, message) ? onEdit() : false),
      move: open('move', mayMove),
      react: open('emoji', true),
      like: () => toggleReaction(session, message, quickEmoji[0]),
      firstReaction: () => {
        const [first] = message.reactions
        return first ? toggleReaction(session, message, first) : false
      },
      star: () => toggleStar(session, message),
      forward,
      quote: () => onQuote(message),
      reply: () => replyTo(message, session),
      mention: () => replyTo(message, session, `@**${message.sender_full_name}|${message.sender_id}** `),
      menu: () => row()?.querySelector<HTMLElement>('[aria-haspopup=menu]')?.click(),
      sender: open('sender', true),
      receipts: open('receipts', hasReceipts),
      history: open('history', isEdited),
      collapse: () => toggleCollapsed(session, message),
      markUnread: () => onMarkUnread(message),
      images: () => row()?.querySelector<HTMLElement>('.rendered a:has(img)')?.click() ?? false,
      conversation: () => goTo(conversation()),
      channel: () => (message.type === 'stream' ? goTo(narrowHash(narrows.channel(message.stream_id!), store)) : false),
    },
    isSelected,
  )
  return (
    <div className="tools" role="toolbar" aria-label={t('message.actions')}>
      {quickEmoji.slice(0, 2).map((emoji) => (
        <button
          key={emoji.emoji_code}
          type="button"
          className="btn square tiny emoji"
          aria-label={t('message.reactWith', { emoji: emoji.emoji_name })}
          onClick={() => toggleReaction(session, message, emoji)}
        >
          {glyphOf(emoji.emoji_code)}
        </button>
      ))}
      <IconButton
        ref={reactButton}
        label={t('message.react')}
        icon="face-slightly-smiling-plus"
        look="tiny"
        onClick={() => setOpened('emoji')}
      />
      <IconButton label={t('message.quote')} icon="quote" look="tiny" onClick={() => onQuote(message)} />
      <IconButton
        label={isStarred ? t('message.unstar') : t('message.star')}
        icon="star"
        look={isStarred ? 'tiny on' : 'tiny'}
        onClick={() => toggleStar(session, message)}
      />
      <Menu
        label={t('message.moreActions')}
        trigger={(props) => <IconButton label={t('message.more')} icon="ellipsis" look="tiny" {...props} />}
        items={[
          mayEdit(store, message) && {
            label: t('common.edit'),
            icon: 'pencil-line',
            command: 'edit',
            onSelect: onEdit,
          },
          mayMove && {
            label: t('move.move'),
            icon: 'arrow-left',
            command: 'move',
            onSelect: () => setOpened('move'),
          },
          { label: t('message.forward'), icon: 'send-horizontal', command: 'forward', onSelect: forward },
          { label: t('message.copyLink'), icon: 'link', onSelect: () => void copyLink(conversation()) },
          {
            label: t('message.markUnread'),
            icon: 'eye-off',
            command: 'markUnread',
            onSelect: () => onMarkUnread(message),
          },
          mayPin(store, message.stream_id) && {
            label: t('pins.pin'),
            icon: 'pin',
            onSelect: () => pinMessage(session, message),
          },
          mayHidePreviews(store, message) && {
            label: t('message.removePreviews'),
            icon: 'x',
            onSelect: () => hidePreviews(session, message),
          },
          { label: t('reminder.action'), icon: 'bell-ring', onSelect: () => setOpened('reminder') },
          { label: t('message.viewSource'), icon: 'code', onSelect: () => setOpened('source') },
          isEdited && {
            label: t('message.history'),
            icon: 'rotate-ccw-clock',
            command: 'history',
            onSelect: () => setOpened('history'),
          },
          hasReceipts && {
            label: t('message.receipts'),
            icon: 'check-check',
            command: 'receipts',
            onSelect: () => setOpened('receipts'),
          },
          message.sender_id !== session.viewerId && {
            label: whyQuestion(store, message),
            icon: 'bell',
            onSelect: () => setOpened('why'),
          },
          {
            label: message.flags.includes('collapsed') ? t('message.expand') : t('message.collapse'),
            icon: 'chevrons-up-down',
            command: 'collapse',
            onSelect: () => toggleCollapsed(session, message),
          },
          hasReports &&
            message.sender_id !== session.viewerId && {
              label: t('report.action'),
              icon: 'alert',
              onSelect: () => setOpened('report'),
            },
          mayDelete(store, message) && {
            label: t('common.delete'),
            icon: 'trash',
            isDanger: true,
            onSelect: () => deleteMessage(session, message),
          },
        ]}
      />
      {forwarded !== undefined && (
        <Suspense>
          <NewMessage
            kind="channel"
            forwarded={{ message, quotation: forwarded }}
            onClose={() => setForwarded(undefined)}
          />
        </Suspense>
      )}
      {opened && (
        <Suspense>
          {opened === 'emoji' && (
            <EmojiPicker
              anchor={() => reactButton.current}
              onClose={close}
              onPick={(emoji) => toggleReaction(session, message, emoji)}
            />
          )}
          {opened === 'source' && <SourceDialog message={message} onClose={close} />}
          {opened === 'move' && <MoveDialog message={message} onClose={close} />}
          {opened === 'history' && <HistoryDialog id={message.id} onClose={close} />}
          {opened === 'sender' && (
            <PersonCard userId={message.sender_id} anchor={() => reactButton.current} onClose={close} />
          )}
          {opened === 'why' && <WhyDialog message={message} onClose={close} />}
          {opened === 'reminder' && <ReminderDialog messageId={message.id} onClose={close} />}
          {opened === 'report' && <ReportDialog messageId={message.id} onClose={close} />}
          {opened === 'receipts' && <ReceiptsDialog id={message.id} onClose={close} />}
        </Suspense>
      )}
    </div>
  )
}

/** Writes in the conversation of the message; in feeds of several, goes there first. */
function replyTo(message: ShownMessage, session: Session, text = ''): void {
  const hash = narrowHash(conversationOf(message, session.viewerId), session.store!)
  if (document.getElementById('composer') && !document.querySelector('.compose .topic-input')) focusComposer(text)
  else writeIn(hash, text)
}
