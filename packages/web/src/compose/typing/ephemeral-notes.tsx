import type { Note } from '@parley/client/store/passing/ephemeral'
import { useState } from 'react'
import { nameOf } from '../../people/presence.ts'
import { t } from '../../platform/i18n.ts'
import { Rendered } from '../../rendered/rendered.tsx'
import { useSession, useSlices } from '../../session/context.tsx'
import { Button } from '../../ui/button.tsx'

/** Answers of bots that nobody else sees. They are gone when they are dismissed, and after a reload. */
export function EphemeralNotes({ notes }: { notes: readonly Note[] }) {
  const { viewerId } = useSession()
  const store = useSlices('users', 'ephemeral')
  const [dismissed, setDismissed] = useState<readonly number[]>([])
  const shown = notes.filter(({ id }) => !dismissed.includes(id))
  return shown.map((note) => (
    <article key={note.id} className="note" aria-label={nameOf(store, note.sender_id)}>
      <b>{nameOf(store, note.sender_id)}</b>
      <div role="status">
        <Rendered html={note.content} viewerId={viewerId} />
      </div>
      <footer className="quiet">
        {t('actions.onlyYou')}
        <Button
          look="tiny"
          onClick={() => {
            store.ephemeral.dismiss(note.id)
            setDismissed([...dismissed, note.id])
          }}
        >
          {t('actions.dismiss')}
        </Button>
      </footer>
    </article>
  ))
}
