import type { Destination } from '@parley/client/outbox'
import type { Session } from '@parley/client/session'
import { type RefObject, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { topicName } from '../channels/topic-name.ts'
import { namesOf } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { keyName } from '../platform/keys.ts'
import { useSession, useStore } from '../session/context.tsx'
import { lazyPart } from '../session/lazy-part.tsx'
import { narrowHash } from '../session/links.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { narrowOf } from './draft-model.ts'
import { draftsOf } from './drafts.ts'
import { insertText, wrapSelection } from './editing.ts'
import { writeIn } from './focus.ts'
import { Input } from './input.tsx'
import { echoOf, useLocalRendering } from './local-rendering.ts'
import { Preview } from './preview.tsx'
import { schedule } from './schedule-actions.ts'
import { SendButton } from './send-button.tsx'
import { ToLine } from './to-line.tsx'
import { TypingLine, useTypingNotices } from './typing.tsx'
import { type Upload, UploadBox } from './uploads.ts'
import { useDraft } from './use-draft.ts'
import { WarningLines } from './warning-lines.tsx'
import './compose.css'

const EmojiPicker = lazyPart(() => import('../messages/emoji-picker.tsx').then((one) => one.EmojiPicker))
const ScheduleDialog = lazyPart(() => import('./schedule-dialog.tsx').then((one) => one.ScheduleDialog))
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
  const place = destination ?? (channelId === undefined ? undefined : { stream_id: channelId, topic: '' })
  return place && <Box place={place} needsTopic={!destination} insert={insert} />
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
  const area = useRef<HTMLTextAreaElement>(null)
  const { uploads, addFiles } = useUploads(slot, target, area)
  useEffect(() => {
    if (insert && area.current) insertText(area.current, insert.text)
  }, [insert])
  useTypingNotices(target, text)
  const rendering = useLocalRendering(text)
  const content = text.trim()
  const isReady = content !== '' && uploads.every(({ failure }) => failure !== undefined)
  const close = () => setOpened(undefined)
  const insertHere = (added: string) => area.current && insertText(area.current, added)
  const clear = () => {
    const sent = entry()
    setText('')
    setPreview(false)
    if (sent) draftsOf(session).remove(sent)
  }
  const send = () => {
    if (!isReady) return
    session.outbox.send(target, content, echoOf(rendering, content))
    clear()
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
      onDragOver={(event) => event.dataTransfer.types.includes('Files') && event.preventDefault()}
      onDrop={(event) => {
        if (event.dataTransfer.files.length === 0) return // text, which the field takes
        event.preventDefault()
        addFiles(event.dataTransfer.files)
      }}
    >
      <div className="above">
        <TypingLine destination={target} />
        {isKept && content !== '' && (
          <span className="kept">
            <Icon name="cloud-check" size="s" /> {t('compose.kept')}
          </span>
        )}
      </div>
      <div className="box" style={{ '--channel': channelColor(store, target) } as React.CSSProperties}>
        <WarningLines text={text} destination={target} />
        <ToLine destination={target} needsTopic={needsTopic} onTopic={setTopic} />
        {isPreview ? (
          <Preview source={text} local={rendering?.html} />
        ) : (
          <Input
            area={area}
            text={text}
            onText={setText}
            onSend={send}
            onFiles={addFiles}
            placeholder={placeholder(store, target)}
          />
        )}
        <Uploads uploads={uploads} />
        <div className="row">
          <AttachButton onFiles={addFiles} />
          <IconButton
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
              onSend={send}
              onSchedule={(at) => void sendLater(at)}
              onPickTime={() => setOpened('time')}
              onSnippets={() => setOpened('snippets')}
              onPreview={() => setPreview(!isPreview)}
            />
          </span>
        </div>
      </div>
      <Suspense>
        {opened === 'emoji' && (
          <EmojiPicker onClose={close} onPick={({ emoji_name }) => setTimeout(insertHere, 0, `:${emoji_name}: `)} />
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

const uploadBoxes = new WeakMap<Session, UploadBox>()

function uploadsOf(session: Session): UploadBox {
  const box = uploadBoxes.get(session) ?? new UploadBox()
  uploadBoxes.set(session, box)
  return box
}

/** The files of a composer. A link goes into its field, or into its draft if the field is not shown or another is used. */
function useUploads(slot: string, target: Destination, area: RefObject<HTMLTextAreaElement | null>) {
  const session = useSession()
  const box = uploadsOf(session)
  const uploads = useSyncExternalStore(box.subscribe, () => box.list(slot))
  const insert = (link: string) => {
    if (area.current && !isTypingElsewhere(area.current)) return insertText(area.current, `${link}\n`)
    const drafts = draftsOf(session)
    const typed = drafts.read(slot)
    const text = typed?.text ?? ''
    drafts.write(slot, typed?.to ?? target, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${link}\n`, true)
  }
  const addFiles = (files: Iterable<File>) => {
    for (const file of files) box.add(slot, file, insert)
  }
  return { uploads, addFiles }
}

function isTypingElsewhere(area: HTMLElement): boolean {
  const used = document.activeElement
  return used !== area && used?.matches('textarea, input:not([type=file])') === true
}

function Uploads({ uploads }: { uploads: readonly Upload[] }) {
  return uploads.map(({ id, name, progress, failure, retry, cancel }) =>
    failure === undefined ? (
      <div key={id} className="upload">
        <progress value={progress} max={1} aria-label={t('compose.uploading', { file: name })} /> {name}
        <IconButton label={t('compose.cancelUpload')} icon="x" look="tiny" onClick={cancel} />
      </div>
    ) : (
      <div key={id} className="upload failed" role="alert">
        {t('compose.uploadFailed', { file: name, reason: failure })}
        <Button look="outline" icon="refresh" onClick={retry}>
          {t('common.tryAgain')}
        </Button>
        <Button onClick={cancel}>{t('common.discard')}</Button>
      </div>
    ),
  )
}

function AttachButton({ onFiles }: { onFiles: (files: Iterable<File>) => void }) {
  return (
    <label className="btn square tiny" title={t('compose.attach')}>
      <Icon name="plus" />
      <input
        type="file"
        multiple
        className="hidden"
        aria-label={t('compose.attach')}
        onChange={({ target }) => {
          if (target.files) onFiles([...target.files])
          target.value = '' // the same file can be chosen again
        }}
      />
    </label>
  )
}

const formats = [
  ['compose.bold', 'letter-b', '**', '**'],
  ['compose.italic', 'italic', '*', '*'],
  ['compose.link', 'link', '[', '](url)'],
  ['compose.list', 'list', '\n* ', ''],
  ['compose.code', 'code', '`', '`'],
  ['compose.quote', 'text-quote', '\n```quote\n', '\n```\n'],
] as const

function Formats({ area }: { area: RefObject<HTMLTextAreaElement | null> }) {
  return (
    <>
      <span className="gap" />
      {formats.map(([label, icon, before, after]) => (
        <IconButton
          key={label}
          label={t(label)}
          icon={icon}
          look="tiny"
          onClick={() => area.current && wrapSelection(area.current, before, after)}
        />
      ))}
      <span className="gap" />
    </>
  )
}

function channelColor(store: ReturnType<typeof useStore>, destination: Destination): string | undefined {
  return 'stream_id' in destination ? store.channels.subscribed.get(destination.stream_id)?.color : undefined
}

function placeholder(store: ReturnType<typeof useStore>, destination: Destination): string {
  if ('user_ids' in destination) return t('compose.toPeople', { names: namesOf(store, destination.user_ids) })
  const channel = store.channels.subscribed.get(destination.stream_id)?.name ?? t('compose.thisChannel')
  return destination.topic === ''
    ? t('compose.toChannel', { channel })
    : t('compose.toTopic', { channel, topic: topicName(destination.topic) })
}
