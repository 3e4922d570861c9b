import { narrows } from '@parley/client/messages/narrow'
import { useEffect, useState } from 'react'
import { t } from '../../platform/i18n.ts'
import { shortTime } from '../../platform/times.ts'
import { useSession, useStore } from '../../session/context.tsx'
import { narrowHash } from '../../session/links.ts'
import { Button } from '../../ui/button.tsx'
import { Screen } from '../../ui/screen.tsx'
import { Empty } from '../../ui/states.tsx'
import { showToast } from '../../ui/toast.tsx'
import { PlaceLine } from '../place-line.tsx'
import { narrowOf } from './draft-model.ts'
import { type DraftEntry, draftsOf } from './drafts.ts'

/** What was typed and not sent, on this device and on others. */
export function DraftsScreen() {
  const session = useSession()
  const store = useStore()
  const box = draftsOf(session)
  const [, setVersion] = useState(0)
  useEffect(() => box.subscribe(() => setVersion((version) => version + 1)), [box])
  const drafts = box.list()
  const discard = (entry: DraftEntry) => {
    box.remove(entry)
    const { to, text } = entry.draft
    showToast({ text: t('drafts.discarded'), undo: () => box.write(entry.slot, to, text, true) })
  }
  return (
    <Screen title={t('nav.drafts')}>
      <div className="settings-page">
        {drafts.length === 0 && <Empty icon="pencil-line" title={t('drafts.empty')} />}
        {drafts.map((entry) => (
          <section key={`${entry.slot} ${entry.draft.id}`} className="card scheduled">
            <PlaceLine to={entry.draft.to} />
            <p className="draft-text">{entry.draft.text}</p>
            <div className="form-end">
              <time className="quiet">{shortTime(entry.draft.at)}</time>
              <Button onClick={() => discard(entry)}>{t('common.discard')}</Button>
              <a className="btn outline" href={hashOf(entry, store)}>
                {t('common.open')}
              </a>
            </div>
          </section>
        ))}
      </div>
    </Screen>
  )
}

/** The screen whose composer has the draft. */
function hashOf({ slot, draft: { to } }: DraftEntry, store: ReturnType<typeof useStore>): string {
  if (slot.startsWith('channel ') && 'stream_id' in to) return narrowHash(narrows.channel(to.stream_id), store)
  return narrowHash(narrowOf(to), store)
}
