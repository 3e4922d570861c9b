import { narrows } from '@parley/client/narrow'
import type { Destination } from '@parley/client/outbox'
import { useState } from 'react'
import { titleOf } from '../feed/screen.tsx'
import { useStore } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'
import { keepDraft, listDrafts } from './drafts.ts'

/** What was typed and not sent. */
export function DraftsScreen() {
  const store = useStore()
  const [drafts, setDrafts] = useState(listDrafts)
  const discard = (key: string, text: string) => {
    keepDraft(key, '')
    setDrafts(listDrafts())
    const undo = () => {
      keepDraft(key, text)
      setDrafts(listDrafts())
    }
    showToast({ text: 'Draft discarded.', undo })
  }
  return (
    <main className="main">
      <header className="bar">
        <div className="two">
          <h1>Drafts</h1>
        </div>
      </header>
      <div className="settings-page">
        {drafts.length === 0 && (
          <Empty icon="pencil-line" title="No drafts. What you type is kept here until you send it." />
        )}
        {drafts.map(({ key, text }) => {
          const narrow = narrowOf(key)
          return (
            <section key={key} className="card line-item">
              <div>
                <a href={narrowHash(narrow, store)}>
                  <b>{titleOf(narrow, store)}</b>
                </a>
                <span className="d">{text}</span>
              </div>
              <Button onClick={() => discard(key, text)}>Discard</Button>
            </section>
          )
        })}
      </div>
    </main>
  )
}

function narrowOf(key: string) {
  const channel = /^channel (\d+)$/.exec(key)?.[1]
  if (channel) return narrows.channel(Number(channel))
  const destination = JSON.parse(key) as Destination
  return 'stream_id' in destination
    ? narrows.topic(destination.stream_id, destination.topic)
    : narrows.direct(destination.user_ids)
}
