import { mayInChannel } from '@parley/api/permissions'
import type { ShownMessage } from '@parley/client/messages/cache'
import { channelOf, type Narrow, narrows, topicOf, usersOf } from '@parley/client/messages/narrow'
import { type FormEvent, useState } from 'react'
import { namesOf } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { Rendered } from '../rendered/rendered.tsx'
import { useSession, useSlices } from '../session/context.tsx'
import { narrowHash, parseNarrow } from '../session/links.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Segments } from '../ui/segments.tsx'
import { ChannelField } from './channel-field.tsx'
import { CompletedField } from './completion/completed-field.tsx'
import { isMatch } from './completion/completion.ts'
import { writeIn } from './focus.ts'
import { TopicField } from './to-line.tsx'

export type NewMessageKind = 'channel' | 'direct'

interface NewMessageProps {
  kind: NewMessageKind
  /** A message to forward. Its quotation is put into the composer. */
  forwarded?: { message: ShownMessage; quotation: string }
  /** What another app shared. */
  text?: string | undefined
  onClose: () => void
}

/** Asks where a new message goes, then opens the conversation to write it. */
export function NewMessage({ kind: first, forwarded, text = '', onClose }: NewMessageProps) {
  const store = useSlices('channels')
  const [proposed] = useState(() => proposalFor(first, forwarded !== undefined))
  const [kind, setKind] = useState(proposed.users ? 'direct' : first)
  const write = (narrow: Narrow) => {
    onClose()
    writeIn(narrowHash(narrow, store), forwarded?.quotation ?? text)
  }
  const form = { onWrite: write, proposed }
  return (
    <Dialog title={t(forwarded ? 'compose.forward' : 'compose.new')} onClose={onClose}>
      <Segments
        label={t('compose.kind')}
        options={[
          ['channel', t('compose.inChannel')],
          ['direct', t('compose.direct')],
        ]}
        value={kind}
        onChange={setKind}
      />
      {forwarded && (
        <blockquote className="forwarded">
          <b>{forwarded.message.sender_full_name}</b>
          <Rendered html={forwarded.message.content} />
        </blockquote>
      )}
      {text !== '' && <blockquote className="forwarded">{text}</blockquote>}
      {kind === 'channel' ? <ChannelForm {...form} /> : <DirectForm {...form} />}
    </Dialog>
  )
}

interface Proposal {
  channelId?: number | undefined
  topic?: string | undefined
  users?: number[] | undefined
}

/** A new message most likely goes where the viewer is, a forwarded one to another topic. */
function proposalFor(kind: NewMessageKind, isForwarded: boolean): Proposal {
  if (kind === 'direct') return {}
  const narrow = parseNarrow(window.location.hash)?.narrow ?? []
  const channelId = channelOf(narrow)
  if (isForwarded) return { channelId }
  return { channelId, topic: topicOf(narrow)?.topic, users: usersOf(narrow) }
}

interface FormProps {
  proposed: Proposal
  onWrite: (narrow: Narrow) => void
}

function ChannelForm({ onWrite, proposed }: FormProps) {
  const store = useSlices('channels', 'viewer')
  const channels = [...store.channels.subscribed.values()]
    .filter((channel) => mayInChannel(store.viewer, channel, 'can_send_message_group'))
    .sort((a, b) => a.name.localeCompare(b.name))
  const first = channels.find(({ stream_id }) => stream_id === proposed.channelId) ?? channels[0]
  const [channelId, setChannelId] = useState(first?.stream_id)
  const [topic, setTopic] = useState(proposed.topic ?? '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (channelId !== undefined) onWrite(narrows.topic(channelId, topic.trim()))
  }
  return (
    <form className="form" onSubmit={submit}>
      <div className="topic-field">
        {t('common.channel')}
        <ChannelField channels={channels} channelId={channelId} hasFocus onChannel={setChannelId} />
      </div>
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

function DirectForm({ onWrite, proposed }: FormProps) {
  const store = useSlices('users')
  const { viewerId } = useSession()
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState<number[]>(proposed.users ?? [])
  const found = [...store.users.byId.values()]
    .filter(({ user_id, is_active, full_name }) => is_active && !chosen.includes(user_id) && isMatch(full_name, query))
    .slice(0, mostShown)
  const suggestions = (query === '' ? [] : found).map(({ user_id, full_name, email }) => ({
    label: full_name,
    detail: email,
    text: String(user_id),
    userId: user_id,
  }))
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
        <CompletedField
          label={t('compose.to')}
          placeholder={chosen.length === 0 ? t('compose.name') : t('compose.addPerson')}
          autoFocus
          value={query}
          length={query.length}
          suggestions={suggestions}
          onTake={(text) => {
            setChosen([...chosen, Number(text)])
            setQuery('')
          }}
          onClose={() => setQuery('')}
          onType={setQuery}
        />
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
