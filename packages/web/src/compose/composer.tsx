import type { Destination } from '@parley/client/outbox'
import { useEffect, useRef, useState } from 'react'
import { namesOf } from '../people/presence.ts'
import { Rendered } from '../rendered/rendered.tsx'
import { useSession, useStore } from '../session/context.tsx'
import { topicName } from '../sidebar/sidebar.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { showToast } from '../ui/toast.tsx'
import { type Suggestion, suggest } from './completion.ts'
import { keepDraft, readDraft } from './drafts.ts'
import { escapeHtml, insertText, wrapSelection } from './editing.ts'
import { echoOf, useLocalRendering } from './local-rendering.ts'
import { TypingLine, useTypingNotices } from './typing.tsx'
import { type Upload, uploadFile } from './uploads.ts'

interface ComposerProps {
  /** Undefined where a message has to name its topic first. */
  destination: Destination | undefined
  channelId?: number | undefined
  /** Text to insert, such as a quotation. */
  insert?: { text: string; at: number } | undefined
}

/** Writes messages. What is typed is kept until it is sent. */
export function Composer({ destination, channelId, insert }: ComposerProps) {
  const session = useSession()
  const store = useStore()
  const [topic, setTopic] = useState('')
  const target = destination ?? (channelId === undefined ? undefined : { stream_id: channelId, topic: topic.trim() })
  const key = destination ? JSON.stringify(destination) : `channel ${channelId}`
  const [text, setText] = useState(() => readDraft(key))
  const [isPreview, setPreview] = useState(false)
  const [uploads, setUploads] = useState<Upload[]>([])
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => setText(readDraft(key)), [key])
  useEffect(() => keepDraft(key, text), [key, text])
  useEffect(() => {
    if (insert && area.current) insertText(area.current, insert.text)
  }, [insert])
  useTypingNotices(target, text)
  const rendering = useLocalRendering(text)

  if (!target) return null
  const send = () => {
    const content = text.trim()
    if (content === '' || uploads.length > 0) return
    session.outbox.send(target, content, echoOf(rendering, content))
    setText('')
    setPreview(false)
    keepDraft(key, '')
  }
  const addFiles = (files: Iterable<File>) => {
    for (const file of files) {
      const upload = uploadFile(file, (change) =>
        setUploads((all) => all.map((one) => (one.id === upload.id ? { ...one, ...change } : one))),
      )
      setUploads((all) => [...all, upload])
      upload.done
        .then((link) => area.current && insertText(area.current, `${link}\n`))
        .catch((error: Error) =>
          showToast({ text: `${file.name} could not be uploaded. ${error.message}`, isError: true }),
        )
        .finally(() => setUploads((all) => all.filter(({ id }) => id !== upload.id)))
    }
  }
  return (
    <div
      className="compose"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        addFiles(event.dataTransfer.files)
      }}
    >
      <TypingLine destination={target} />
      <div className="box" style={{ '--channel': channelColor(store, target) } as React.CSSProperties}>
        <ToLine destination={target} needsTopic={!destination} topic={topic} onTopic={setTopic} />
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
        {uploads.map((upload) => (
          <div key={upload.id} className="upload">
            <progress value={upload.progress} max={1} aria-label={`Uploading ${upload.name}`} /> {upload.name}
            <IconButton label="Cancel upload" icon="x" look="tiny" onClick={upload.cancel} />
          </div>
        ))}
        <div className="row">
          <label className="btn square tiny" title="Attach files">
            <Icon name="plus" />
            <input
              type="file"
              multiple
              className="hidden"
              aria-label="Attach files"
              onChange={({ target: { files } }) => files && addFiles(files)}
            />
          </label>
          <span className="wide fmt">
            {formats.map(([label, icon, before, after]) => (
              <IconButton
                key={label}
                label={label}
                icon={icon}
                look="tiny"
                onClick={() => area.current && wrapSelection(area.current, before, after)}
              />
            ))}
            <span className="gap" />
            <IconButton
              label="Preview"
              icon="eye"
              look={isPreview ? 'tiny on' : 'tiny'}
              aria-pressed={isPreview}
              onClick={() => setPreview(!isPreview)}
            />
          </span>
          <span className="end">
            <Button
              look="primary"
              icon="send-horizontal"
              onClick={send}
              disabled={text.trim() === '' || uploads.length > 0}
            >
              Send
            </Button>
          </span>
        </div>
      </div>
    </div>
  )
}

const formats = [
  ['Bold', 'letter-b', '**', '**'],
  ['Italic', 'italic', '*', '*'],
  ['Link', 'link', '[', '](url)'],
  ['List', 'list', '\n* ', ''],
  ['Code', 'code', '`', '`'],
  ['Quote', 'text-quote', '\n```quote\n', '\n```\n'],
] as const

function channelColor(store: ReturnType<typeof useStore>, destination: Destination): string | undefined {
  return 'stream_id' in destination ? store.channels.subscribed.get(destination.stream_id)?.color : undefined
}

function placeholder(store: ReturnType<typeof useStore>, destination: Destination): string {
  if ('user_ids' in destination) return `Message ${namesOf(store, destination.user_ids)}`
  const channel = store.channels.subscribed.get(destination.stream_id)?.name ?? 'this channel'
  return destination.topic === '' ? `Message #${channel}` : `Message #${channel} › ${topicName(destination.topic)}`
}

interface ToLineProps {
  destination: Destination
  needsTopic: boolean
  topic: string
  onTopic: (topic: string) => void
}

/** Where the message goes. In a channel the topic is typed here. */
function ToLine({ destination, needsTopic, topic, onTopic }: ToLineProps) {
  const store = useStore()
  if ('user_ids' in destination) return <div className="to-line wide">{namesOf(store, destination.user_ids)}</div>
  const channel = store.channels.subscribed.get(destination.stream_id)
  return (
    <div className={needsTopic ? 'to-line' : 'to-line wide'}>
      <span className="chip">
        <Icon name={channel?.invite_only ? 'lock' : 'hash'} size="s" />
        {channel?.name}
      </span>
      <Icon name="chevron-right" size="s" flip />
      {needsTopic ? (
        <input
          className="topic-input"
          aria-label="Topic"
          placeholder="Topic"
          maxLength={60}
          value={topic}
          onChange={({ target }) => onTopic(target.value)}
        />
      ) : (
        <span className="chip">{topicName(destination.topic)}</span>
      )}
    </div>
  )
}

interface InputProps {
  area: React.RefObject<HTMLTextAreaElement | null>
  text: string
  placeholder: string
  onText: (text: string) => void
  onSend: () => void
  onFiles: (files: Iterable<File>) => void
}

function Input({ area, text, placeholder: hint, onText, onSend, onFiles }: InputProps) {
  const store = useStore()
  const [completion, setCompletion] = useState<{ length: number; suggestions: Suggestion[] }>()
  const [chosen, setChosen] = useState(0)
  const complete = ({ text: replacement }: Suggestion) => {
    const { selectionStart } = area.current!
    area.current!.setSelectionRange(selectionStart - completion!.length, selectionStart)
    insertText(area.current!, replacement)
    setCompletion(undefined)
  }
  const pressed = (event: React.KeyboardEvent<HTMLTextAreaElement>) => {
    event.stopPropagation()
    if (event.nativeEvent.isComposing) return
    if (completion) return pressedInCompletion(event)
    if (event.key === 'Escape') return event.currentTarget.blur()
    const sends = store.preferences.get('enter_sends') !== false ? !event.shiftKey : event.ctrlKey || event.metaKey
    if (event.key !== 'Enter' || !sends) return
    event.preventDefault()
    onSend()
  }
  const pressedInCompletion = (event: React.KeyboardEvent) => {
    const { suggestions } = completion!
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setChosen((chosen + step + suggestions.length) % suggestions.length)
    else if (event.key === 'Enter' || event.key === 'Tab') complete(suggestions[chosen]!)
    else if (event.key === 'Escape') setCompletion(undefined)
    else return
    event.preventDefault()
  }
  return (
    <div className="input-slot">
      {completion && (
        <ul className="completion" role="listbox" aria-label="Suggestions">
          {completion.suggestions.map((one, index) => (
            <li key={one.text} role="option" aria-selected={index === chosen}>
              <button
                type="button"
                tabIndex={-1}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => complete(one)}
              >
                <b>{one.label}</b> <span>{one.detail}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <textarea
        ref={area}
        id="composer"
        className="input"
        aria-label="Message"
        placeholder={hint}
        rows={Math.min(14, Math.max(1, text.split('\n').length))}
        value={text}
        onChange={({ target }) => {
          onText(target.value)
          setCompletion(suggest(store, target.value.slice(0, target.selectionStart)))
          setChosen(0)
        }}
        onBlur={() => setCompletion(undefined)}
        onKeyDown={pressed}
        onPaste={({ clipboardData: { files } }) => files.length > 0 && onFiles(files)}
      />
    </div>
  )
}

/** The local rendering until the server's arrives, which also has formulas, linkifiers and images. */
function Preview({ source, local }: { source: string; local: string | undefined }) {
  const { client, viewerId } = useSession()
  const [html, setHtml] = useState<string>()
  useEffect(() => {
    client
      .call('renderMessage', { content: source || ' ' })
      .then(({ rendered }) => setHtml(rendered))
      .catch((error: Error) => setHtml((known) => known ?? local ?? escapeHtml(error.message)))
  }, [client, source, local])
  const shown = html ?? local
  return shown === undefined ? <p className="quiet">Rendering …</p> : <Rendered html={shown} viewerId={viewerId} />
}
