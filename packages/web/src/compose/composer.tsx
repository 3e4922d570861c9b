import { mayInChannel } from '@parley/api/permissions'
import type { Destination, Notifying } from '@parley/client/session/outbox'
import type { Store } from '@parley/client/store/store'
import { Suspense, useEffect, useRef, useState } from 'react'
import { topicName } from '../channels/topic-name.ts'
import { channelOfStore } from '../feed/titles.ts'
import { namesOf } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { keyName } from '../platform/keys.ts'
import { useSession, useStore } from '../session/context.tsx'
import { earlyPart, lazyPart } from '../session/lazy-part.tsx'
import { narrowHash } from '../session/links.ts'
import { IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { CallButton } from './call-button.tsx'
import { commandIn, runCommand } from './completion/commands.ts'
import { narrowOf } from './drafts/draft-model.ts'
import { draftsOf } from './drafts/drafts.ts'
import { useDraft } from './drafts/use-draft.ts'
import { insertText } from './editing.ts'
import { writeIn } from './focus.ts'
import { Input } from './input.tsx'
import { useLength } from './length.tsx'
import { echoOf, useLocalRendering } from './local-rendering.ts'
import { Preview } from './preview.tsx'
import { schedule } from './scheduled/schedule-actions.ts'
import { SendButton } from './send-button.tsx'
import { ToLine } from './to-line.tsx'
import { AttachButton, Formats } from './toolbar.tsx'
import { NotesLine } from './typing/notes-line.tsx'
import { TypingLine, useTypingNotices } from './typing/typing.tsx'
import { isGoing } from './uploads.ts'
import { useUploads } from './use-uploads.ts'
import './compose.css'

const DropZone = earlyPart(() => import('./drop-zone.tsx').then((one) => one.DropZone))
const ClosedLine = earlyPart(() => import('./channel-lines.tsx').then((one) => one.ClosedLine))
const JoinLine = earlyPart(() => import('./channel-lines.tsx').then((one) => one.JoinLine))
const EmojiPicker = lazyPart(() => import('../messages/emoji-picker.tsx').then((one) => one.EmojiPicker))
const ScheduleDialog = lazyPart(() => import('./scheduled/schedule-dialog.tsx').then((one) => one.ScheduleDialog))
const UploadCards = earlyPart(() => import('./upload-cards.tsx').then((one) => one.UploadCards))
const WarningLines = earlyPart(() => import('./warning-lines.tsx').then((one) => one.WarningLines))
const PausedLine = earlyPart(() => import('./scheduled/paused-line.tsx').then((one) => one.PausedLine))
const SnippetsDialog = lazyPart(() => import('./snippets-dialog.tsx').then((one) => one.SnippetsDialog))

type Opened = 'emoji' | 'time' | 'snippets'

interface ComposerProps {
  /** Undefined where a message has to name its topic first. */
  destination: Destination | undefined
  channelId?: number | undefined
  /** Text to insert, such as a quotation. */
  insert?: { text: string; at: number } | undefined
}

/** Writes messages. What is typed is kept until it is sent. */
export function Composer({ destination, channelId, insert }: ComposerProps) {
  const store = useStore()
  const place = destination ?? (channelId === undefined ? undefined : { stream_id: channelId, topic: '' })
  const closed = place && closedChannel(store, place)
  if (closed)
    return (
      <Suspense>
        <ClosedLine name={closed.name} />
      </Suspense>
    )
  return place && <Box place={place} needsTopic={!destination} insert={insert} />
}

/** The channel of the destination, if the viewer may not write there. */
function closedChannel(store: Store, destination: Destination) {
  const channel = 'stream_id' in destination ? channelOfStore(store, destination.stream_id) : undefined
  return channel && !mayInChannel(store.viewer, channel, 'can_send_message_group') ? channel : undefined
}

interface BoxProps {
  place: Destination
  needsTopic: boolean
  insert: ComposerProps['insert']
}

function Box({ place, needsTopic, insert }: BoxProps) {
  const session = useSession()
  const store = useStore()
  const { slot, target, setTopic, text, setText, isKept, entry } = useDraft(place, needsTopic)
  const [isPreview, setPreview] = useState(false)
  const [opened, setOpened] = useState<Opened>()
  const [sent, setSent] = useState(0)
  const area = useRef<HTMLTextAreaElement>(null)
  const emojiButton = useRef<HTMLButtonElement>(null)
  const { uploads, addFiles, clearFiles, maxMegabytes } = useUploads(slot, target, area)
  useEffect(() => {
    if (insert && area.current) insertText(area.current, insert.text)
  }, [insert])
  // Afterwards, because the field is not there during the preview.
  useEffect(() => {
    if (sent > 0) area.current?.focus()
  }, [sent])
  useTypingNotices(target, text)
  const rendering = useLocalRendering(text)
  const content = text.trim()
  const length = useLength(text)
  const isReady = content !== '' && !length.isTooLong && !uploads.some(isGoing)
  const close = () => setOpened(undefined)
  const insertHere = (added: string) => area.current && insertText(area.current, added)
  const clear = () => {
    const sent = entry()
    setText('')
    setPreview(false)
    clearFiles()
    if (sent) draftsOf(session).remove(sent)
  }
  const send = (notifying?: Notifying) => {
    if (!isReady) return
    const command = commandIn(session, target, content)
    if (command) {
      const run = () => runCommand(session, target, command)
      void run().then((isRun) => isRun || setText(content))
      return clear()
    }
    session.outbox.send(target, content, echoOf(rendering, content), notifying)
    clear()
    setSent((count) => count + 1)
  }
  /** The draft of a channel moves to the topic that was chosen here. */
  const openRecipient = () => {
    if (needsTopic) clear()
    writeIn(narrowHash(narrowOf(target), store), needsTopic ? text : '')
  }
  const sendLater = async (at: number) => {
    if (await schedule(session, { to: target, content, at }, () => setText(content))) clear()
  }
  return (
    <div
      className="compose"
      onKeyDownCapture={(event) => {
        if (keyName(event) !== 'Ctrl+.') return
        event.preventDefault()
        openRecipient()
      }}
    >
      <NotesLine destination={target} />
      <div className="above">
        <TypingLine destination={target} />
        {isKept && content !== '' && (
          <span className="kept">
            <Icon name="cloud-check" size="s" /> {t('compose.kept')}
          </span>
        )}
      </div>
      <div className="box" style={{ '--channel': channelColor(store, target) }}>
        {'stream_id' in target && !store.channels.subscribed.has(target.stream_id) && (
          <Suspense>
            <JoinLine destination={target} />
          </Suspense>
        )}
        {length.line}
        <Suspense>
          <WarningLines text={text} destination={target} />
          {'user_ids' in target && content !== '' && (
            <PausedLine
              userIds={target.user_ids}
              isReady={isReady}
              onSend={send}
              onSchedule={(at) => void sendLater(at)}
            />
          )}
        </Suspense>
        <ToLine destination={target} needsTopic={needsTopic} onTopic={setTopic} />
        {isPreview ? (
          <Preview source={text} local={rendering?.html} />
        ) : (
          <Input
            area={area}
            text={text}
            onText={setText}
            onSend={() => send()}
            onFiles={addFiles}
            placeholder={placeholder(store, target)}
            destination={target}
          />
        )}
        {uploads.length > 0 && (
          <Suspense>
            <UploadCards uploads={uploads} text={text} onText={setText} />
          </Suspense>
        )}
        <div className="row">
          <AttachButton onFiles={addFiles} />
          <IconButton
            ref={emojiButton}
            label={t('compose.emoji')}
            icon="face-slightly-smiling"
            look="tiny"
            onClick={() => setOpened('emoji')}
          />
          <IconButton
            label={t('compose.mention')}
            icon="at-sign"
            look="tiny"
            onClick={() => insertHere(mentionSign(text))}
          />
          <CallButton name={placeName(store, target)} look="tiny" />
          <span className="wide fmt">
            <Formats area={area} />
            <IconButton
              label={t('snippets.title')}
              icon="file-text"
              look="tiny"
              onClick={() => setOpened('snippets')}
            />
            <IconButton
              label={t('compose.preview')}
              icon="eye"
              look={isPreview ? 'tiny on' : 'tiny'}
              aria-pressed={isPreview}
              onClick={() => setPreview(!isPreview)}
            />
          </span>
          <span className="end">
            <SendButton
              isReady={isReady}
              onSend={() => send()}
              onSchedule={(at) => void sendLater(at)}
              onPickTime={() => setOpened('time')}
              onSnippets={() => setOpened('snippets')}
              onPreview={() => setPreview(!isPreview)}
            />
          </span>
        </div>
      </div>
      <Suspense>
        <DropZone place={placeName(store, target)} maxMegabytes={maxMegabytes} onFiles={addFiles} />
        {opened === 'emoji' && (
          <EmojiPicker
            hasTones
            anchor={() => emojiButton.current}
            onClose={close}
            onPick={({ emoji_name }, toned) => insertHere(`${toned ?? `:${emoji_name}:`} `)}
          />
        )}
        {opened === 'snippets' && (
          <SnippetsDialog text={text} onClose={close} onInsert={(added) => setTimeout(insertHere, 0, added)} />
        )}
        {opened === 'time' && (
          <ScheduleDialog
            title={t('compose.sendLater')}
            action={t('compose.schedule')}
            at={Math.floor(Date.now() / 1000) + 3600}
            onSave={(at) => void sendLater(at)}
            onClose={close}
          />
        )}
      </Suspense>
    </div>
  )
}

/** A mention begins after a space. */
function mentionSign(text: string): string {
  return text === '' || /\s$/.test(text) ? '@' : ' @'
}

function channelColor(store: ReturnType<typeof useStore>, destination: Destination): string | undefined {
  return 'stream_id' in destination ? store.channels.subscribed.get(destination.stream_id)?.color : undefined
}

function placeName(store: Store, destination: Destination): string {
  if ('user_ids' in destination) return namesOf(store, destination.user_ids)
  const channel = channelOfStore(store, destination.stream_id)?.name ?? t('compose.thisChannel')
  return destination.topic === '' ? `#${channel}` : topicName(destination.topic)
}

function placeholder(store: ReturnType<typeof useStore>, destination: Destination): string {
  if ('user_ids' in destination) return t('compose.toPeople', { names: namesOf(store, destination.user_ids) })
  const channel = channelOfStore(store, destination.stream_id)?.name ?? t('compose.thisChannel')
  return destination.topic === ''
    ? t('compose.toChannel', { channel })
    : t('compose.toTopic', { channel, topic: topicName(destination.topic) })
}
