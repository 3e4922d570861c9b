import { type Narrow, narrows } from '@parley/client/narrow'
import { type FormEvent, useState } from 'react'
import { namesOf } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { useSession, useStore } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Segments } from '../ui/segments.tsx'
import { isMatch } from './completion.ts'
import { useCompletion } from './completion-list.tsx'
import { writeIn } from './focus.ts'
import { TopicField } from './to-line.tsx'

export type NewMessageKind = 'channel' | 'direct'

interface NewMessageProps {
  kind: NewMessageKind
  /** Put into the composer, for example a message to forward. */
  text?: string
  onClose: () => void
}

/** Asks where a new message goes, then opens the conversation to write it. */
export function NewMessage({ kind: first, text = '', onClose }: NewMessageProps) {
  const store = useStore()
  const [kind, setKind] = useState(first)
  const write = (narrow: Narrow) => {
    onClose()
    writeIn(narrowHash(narrow, store), text)
  }
  return (
    <Dialog title={t('compose.new')} onClose={onClose}>
      <Segments
        label={t('compose.kind')}
        options={[
          ['channel', t('compose.inChannel')],
          ['direct', t('compose.direct')],
        ]}
        value={kind}
        onChange={setKind}
      />
      {kind === 'channel' ? <ChannelForm onWrite={write} /> : <DirectForm onWrite={write} />}
    </Dialog>
  )
}

interface FormProps {
  onWrite: (narrow: Narrow) => void
}

function ChannelForm({ onWrite }: FormProps) {
  const store = useStore()
  const channels = [...store.channels.subscribed.values()].sort((a, b) => a.name.localeCompare(b.name))
  const [channelId, setChannelId] = useState(channels[0]?.stream_id)
  const [topic, setTopic] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (channelId !== undefined) onWrite(narrows.topic(channelId, topic.trim()))
  }
  return (
    <form className="form" onSubmit={submit}>
      <label>
        {t('common.channel')}
        <select
          // biome-ignore lint/a11y/noAutofocus: the user asked to write
          autoFocus
          value={channelId}
          onChange={({ target }) => setChannelId(Number(target.value))}
        >
          {channels.map(({ stream_id, name }) => (
            <option key={stream_id} value={stream_id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <div className="topic-field">
        {t('common.topic')}
        {channelId !== undefined && <TopicField channelId={channelId} topic={topic} onTopic={setTopic} />}
      </div>
      <div className="form-end">
        <Button look="primary" type="submit" disabled={channelId === undefined}>
          {t('compose.write')}
        </Button>
      </div>
    </form>
  )
}

const mostShown = 8

function DirectForm({ onWrite }: FormProps) {
  const store = useStore()
  const { viewerId } = useSession()
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState<number[]>([])
  const found = [...store.users.byId.values()]
    .filter(({ user_id, is_active, full_name }) => is_active && !chosen.includes(user_id) && isMatch(full_name, query))
    .slice(0, mostShown)
  const suggestions = query === '' ? [] : found
  const completion = useCompletion(
    suggestions.map(({ user_id, full_name, email }) => ({ label: full_name, detail: email, text: String(user_id) })),
    ({ text }) => {
      setChosen([...chosen, Number(text)])
      setQuery('')
    },
    () => setQuery(''),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (chosen.length === 0) return
    const others = chosen.filter((id) => id !== viewerId)
    onWrite(narrows.direct(others.length === 0 ? [viewerId] : others))
  }
  return (
    <form className="form" onSubmit={submit}>
      <div className="topic-field">
        {t('compose.to')}
        <span className="topic-slot">
          {completion.list}
          <input
            className="topic-input"
            aria-label={t('compose.to')}
            placeholder={chosen.length === 0 ? t('compose.name') : t('compose.addPerson')}
            // biome-ignore lint/a11y/noAutofocus: the user asked to write
            autoFocus
            autoComplete="off"
            value={query}
            {...completion.fieldProps}
            onChange={({ target }) => {
              setQuery(target.value)
              completion.reset()
            }}
            onKeyDown={(event) => {
              event.stopPropagation()
              completion.pressed(event)
            }}
          />
        </span>
      </div>
      {chosen.length > 0 && (
        <div className="chips">
          {chosen.map((id) => (
            <span key={id} className="chip">
              {namesOf(store, [id])}
              <IconButton
                label={t('compose.removePerson', { name: namesOf(store, [id]) })}
                icon="x"
                look="tiny"
                onClick={() => setChosen(chosen.filter((one) => one !== id))}
              />
            </span>
          ))}
        </div>
      )}
      <div className="form-end">
        <Button look="primary" type="submit" disabled={chosen.length === 0}>
          {t('compose.write')}
        </Button>
      </div>
    </form>
  )
}
