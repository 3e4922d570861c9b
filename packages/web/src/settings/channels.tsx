import { narrows } from '@parley/client/narrow'
import { useState } from 'react'
import { useSession, useStore } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Empty } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'

/** All channels the viewer may see: join, leave, create. */
export function ChannelsScreen(_: { hash: string }) {
  const store = useStore()
  const { client } = useSession()
  const [query, setQuery] = useState('')
  const all = [
    ...store.channels.subscribed.values(),
    ...store.channels.neverSubscribed.values(),
    ...store.channels.left.values(),
  ]
    .filter(({ name }) => name.toLowerCase().includes(query.trim().toLowerCase()))
    .sort((a, b) => a.name.localeCompare(b.name))
  const join = (name: string) =>
    client
      .call('subscribe', { subscriptions: [{ name }] })
      .catch((error: Error) => showToast({ text: error.message, isError: true }))
  const leave = (name: string) =>
    client
      .call('unsubscribe', { subscriptions: [name] })
      .then(() => showToast({ text: `You left #${name}.`, undo: () => void join(name) }))
      .catch((error: Error) => showToast({ text: error.message, isError: true }))
  const isNew = query.trim() !== '' && !all.some(({ name }) => name.toLowerCase() === query.trim().toLowerCase())
  return (
    <main className="main">
      <header className="bar">
        <div className="two">
          <h1>Channels</h1>
        </div>
        <div className="end">
          <input
            type="search"
            className="filter-input"
            aria-label="Find or name a channel"
            placeholder="Find or name a channel"
            value={query}
            onChange={({ target }) => setQuery(target.value)}
          />
        </div>
      </header>
      <div className="settings-page">
        {isNew && (
          <Button look="primary" icon="plus" onClick={() => void join(query.trim())}>
            Create #{query.trim()}
          </Button>
        )}
        {all.length === 0 && <Empty icon="hash" title="No channel has this name." />}
        <section className="card">
          {all.map((channel) => {
            const isSubscribed = store.channels.subscribed.has(channel.stream_id)
            return (
              <div key={channel.stream_id} className="line-item">
                <Icon name={channel.invite_only ? 'lock' : 'hash'} />
                <div>
                  <a href={narrowHash(narrows.channel(channel.stream_id), store)}>
                    <b>{channel.name}</b>
                  </a>
                  <span className="d">{channel.description}</span>
                </div>
                <Button
                  look={isSubscribed ? '' : 'outline'}
                  onClick={() => void (isSubscribed ? leave(channel.name) : join(channel.name))}
                >
                  {isSubscribed ? 'Leave' : 'Join'}
                </Button>
              </div>
            )
          })}
        </section>
      </div>
    </main>
  )
}
