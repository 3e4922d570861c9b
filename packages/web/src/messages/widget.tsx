import type { ShownMessage } from '@parley/client/messages/cache'
import { type FormEvent, useState } from 'react'
import { Faces } from '../people/avatar.tsx'
import { namesOf } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { Rendered } from '../rendered/rendered.tsx'
import { useSession, useSlices } from '../session/context.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { sendWidgetData } from './actions.ts'
import { nextIndex, type Poll, type TodoList, widgetOf } from './widget-model.ts'
import { ActionsView } from './widgets/actions-view.tsx'

/** A poll or a to-do list. Other widgets show the text of their message. */
export function Widget({ message }: { message: ShownMessage }) {
  const { viewerId } = useSession()
  const widget = widgetOf(message.submessages)
  if (widget?.type === 'poll') return <PollView message={message} poll={widget} />
  if (widget?.type === 'todo') return <TodoView message={message} list={widget} />
  if (widget?.type !== 'actions') return <Rendered html={message.content} viewerId={viewerId} />
  return (
    <>
      <Rendered html={message.content} viewerId={viewerId} />
      <ActionsView message={message} actions={widget} />
    </>
  )
}

function PollView({ message, poll }: { message: ShownMessage; poll: Poll }) {
  const session = useSession()
  const store = useSlices('users')
  const most = Math.max(1, ...poll.options.map(({ voters }) => voters.length))
  const idx = nextIndex(message.submessages, session.viewerId)
  return (
    <section className="poll" aria-label={t('widget.poll', { question: poll.question })}>
      <p className="q">{poll.question}</p>
      <ul>
        {poll.options.map(({ key, text, voters }) => {
          const isOwn = voters.includes(session.viewerId)
          const part = `${(voters.length / most) * 100}%`
          return (
            <li key={key} className={isOwn ? 'own' : ''} style={{ '--part': part }}>
              <button
                type="button"
                className="vote"
                aria-pressed={isOwn}
                onClick={() => sendWidgetData(session, message.id, { type: 'vote', key, vote: isOwn ? -1 : 1 })}
              >
                <Icon name={isOwn ? 'circle-check' : 'circle'} size="s" /> {text}
                <Faces userIds={voters} most={4} size="sm" />
                <b>{voters.length}</b>
              </button>
            </li>
          )
        })}
      </ul>
      {poll.options.some(({ voters }) => voters.length > 0) && (
        <details className="voters">
          <summary>{t('widget.voters')}</summary>
          <dl>
            {poll.options.map(({ key, text, voters }) => (
              <div key={key}>
                <dt>{text}</dt>
                <dd>{namesOf(store, voters)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      <AddForm
        label={t('widget.addOption')}
        onAdd={(option) => sendWidgetData(session, message.id, { type: 'new_option', idx, option })}
      />
    </section>
  )
}

function TodoView({ message, list }: { message: ShownMessage; list: TodoList }) {
  const session = useSession()
  const key = nextIndex(message.submessages, session.viewerId)
  return (
    <section className="poll" aria-label={t('widget.todo', { title: list.title })}>
      <p className="q">{list.title}</p>
      <ul>
        {list.tasks.map((task) => (
          <li key={task.key} className={task.isDone ? 'own' : ''}>
            <label className="vote">
              <input
                type="checkbox"
                checked={task.isDone}
                onChange={() => sendWidgetData(session, message.id, { type: 'strike', key: task.key })}
              />
              <span>{task.isDone ? <del>{task.text}</del> : task.text}</span>
              {task.description && <span className="quiet">{task.description}</span>}
            </label>
          </li>
        ))}
      </ul>
      <AddForm
        label={t('widget.addTask')}
        onAdd={(task) =>
          sendWidgetData(session, message.id, { type: 'new_task', key, task, desc: '', completed: false })
        }
      />
    </section>
  )
}

function AddForm({ label, onAdd }: { label: string; onAdd: (text: string) => void }) {
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === '') return
    onAdd(text.trim())
    setText('')
  }
  return (
    <form className="add-line" onSubmit={submit}>
      <input aria-label={label} placeholder={label} value={text} onChange={({ target }) => setText(target.value)} />
      <Button look="outline" type="submit" disabled={text.trim() === ''}>
        {t('common.add')}
      </Button>
    </form>
  )
}
