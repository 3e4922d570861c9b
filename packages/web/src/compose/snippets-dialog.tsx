import { nameLimits } from '@parley/api/limits'
import { type FormEvent, useState } from 'react'
import { t } from '../platform/i18n.ts'
import { act } from '../session/act.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

interface SnippetsProps {
  /** What the composer contains, to be saved as a snippet. */
  text: string
  onInsert: (text: string) => void
  onClose: () => void
}

interface Edited {
  id?: number
  title: string
  content: string
}

/** Texts that are used often: insert, add, change, delete. */
export function SnippetsDialog({ text, onInsert, onClose }: SnippetsProps) {
  const session = useSession()
  const store = useSlices('snippets')
  const [edited, setEdited] = useState<Edited>()
  const snippets = [...store.snippets.byId.values()].sort((a, b) => a.title.localeCompare(b.title))
  if (edited) return <SnippetForm edited={edited} onClose={() => setEdited(undefined)} />
  const remove = ({ id, title, content }: (typeof snippets)[number]) => {
    const undo = () => void act(session.client.call('createSavedSnippet', { title, content }))
    void act(
      session.client.call('deleteSavedSnippet', { path: { saved_snippet_id: id } }),
      t('snippets.deleted', { name: title }),
      undo,
    )
  }
  return (
    <Dialog title={t('snippets.title')} onClose={onClose}>
      {snippets.length === 0 && <p className="quiet">{t('snippets.empty')}</p>}
      <ul className="snippets">
        {snippets.map((snippet) => (
          <li key={snippet.id}>
            <button
              type="button"
              className="snippet"
              onClick={() => {
                onClose()
                onInsert(snippet.content)
              }}
            >
              <b>{snippet.title}</b>
              <span>{snippet.content}</span>
            </button>
            <IconButton
              label={t('snippets.edit', { name: snippet.title })}
              icon="pencil-line"
              onClick={() => setEdited(snippet)}
            />
            <IconButton
              label={t('snippets.delete', { name: snippet.title })}
              icon="trash"
              onClick={() => remove(snippet)}
            />
          </li>
        ))}
      </ul>
      <div className="form-end">
        <Button look="outline" icon="plus" onClick={() => setEdited({ title: '', content: text })}>
          {t('snippets.new')}
        </Button>
      </div>
    </Dialog>
  )
}

function SnippetForm({ edited, onClose }: { edited: Edited; onClose: () => void }) {
  const { client } = useSession()
  const [title, setTitle] = useState(edited.title)
  const [content, setContent] = useState(edited.content)
  const isReady = title.trim() !== '' && content.trim() !== ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const values = { title: title.trim(), content }
    const call =
      edited.id === undefined
        ? client.call('createSavedSnippet', values)
        : client.call('editSavedSnippet', { path: { saved_snippet_id: edited.id }, ...values })
    void act(call.then(onClose))
  }
  return (
    <Dialog title={edited.id === undefined ? t('snippets.new') : t('snippets.editTitle')} onClose={onClose}>
      <form className="form" onSubmit={submit} onKeyDown={(event) => event.stopPropagation()}>
        <label>
          {t('common.name')}
          <input value={title} maxLength={nameLimits.snippet} onChange={({ target }) => setTitle(target.value)} />
        </label>
        <label>
          {t('common.text')}
          <textarea rows={5} value={content} onChange={({ target }) => setContent(target.value)} />
        </label>
        <div className="form-end">
          <Button onClick={onClose}>{t('common.back')}</Button>
          <Button look="primary" type="submit" disabled={!isReady}>
            {t('common.save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
