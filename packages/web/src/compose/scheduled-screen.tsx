import type { ScheduledObject } from '@parley/api/scheduled'
import { lazy, Suspense, useState } from 'react'
import { longTime } from '../platform/times.ts'
import { Rendered } from '../rendered/rendered.tsx'
import { useSession, useStore } from '../session/context.tsx'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/states.tsx'
import { PlaceLine } from './place-line.tsx'
import { destinationOf } from './schedule.ts'
import { deleteScheduled, editScheduled, sendNow } from './schedule-actions.ts'

const ScheduleDialog = lazy(() => import('./schedule-dialog.tsx').then((one) => ({ default: one.ScheduleDialog })))

/** Messages that are sent later, the next one first. */
export function ScheduledScreen() {
  const store = useStore()
  const { scheduled_messages: messages } = store.scheduled.snapshot()
  return (
    <main className="main">
      <header className="bar">
        <div className="two">
          <h1>Scheduled</h1>
        </div>
      </header>
      <div className="settings-page">
        {messages.length === 0 && (
          <Empty icon="clock" title="Nothing is scheduled. Choose a time in the menu beside Send." />
        )}
        {messages.map((message) => (
          <ScheduledCard key={message.scheduled_message_id} message={message} />
        ))}
      </div>
    </main>
  )
}

function ScheduledCard({ message }: { message: ScheduledObject }) {
  const session = useSession()
  const [isOpen, setOpen] = useState(false)
  const { scheduled_message_id: id, content, rendered_content, scheduled_delivery_timestamp: at, failed } = message
  const soon = Math.floor(Date.now() / 1000) + 600
  return (
    <section className="card scheduled">
      <PlaceLine to={destinationOf(message)} />
      <Rendered html={rendered_content} />
      <p className={failed ? 'not-sent' : 'quiet'}>
        {failed ? 'It could not be sent. Try again now, or choose another time.' : `Will be sent ${longTime(at)}`}
      </p>
      <div className="form-end">
        <Button onClick={() => deleteScheduled(session, message)}>Delete</Button>
        <Button look="outline" icon="pencil-line" onClick={() => setOpen(true)}>
          Edit
        </Button>
        <Button look="primary" icon="send-horizontal" onClick={() => sendNow(session, message)}>
          Send now
        </Button>
      </div>
      {isOpen && (
        <Suspense>
          <ScheduleDialog
            title="Edit scheduled message"
            action="Save"
            content={content}
            at={Math.max(at, soon)}
            onSave={(time, text) => void editScheduled(session, id, text, time)}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </section>
  )
}
