import { type FormEvent, useState } from 'react'
import { arrange } from '../channels/arrange.ts'
import { t } from '../platform/i18n.ts'
import { useSession } from '../session/context.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { layoutOf, withRenamed } from './layout.ts'

const longestName = 60

/** Names a new section of the sidebar, or renames one. */
export function SectionDialog({ section, onClose }: { section?: string; onClose: () => void }) {
  const session = useSession()
  const [name, setName] = useState(section ?? '')
  const wanted = name.trim()
  const layout = layoutOf(session.store!)
  const isTaken = wanted !== section && layout.sections.some((one) => one.name === wanted)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const next =
      section === undefined
        ? { ...layout, sections: [...layout.sections, { name: wanted, channels: [] }] }
        : withRenamed(layout, section, wanted)
    void arrange(session, next, section === undefined ? t('sidebar.sectionMade') : t('sidebar.sectionRenamed'))
    onClose()
  }
  return (
    <Dialog title={section === undefined ? t('sidebar.newSection') : t('sidebar.renameSection')} onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <label>
          {t('common.name')}
          <input value={name} required maxLength={longestName} onChange={({ target }) => setName(target.value)} />
        </label>
        {isTaken && (
          <p className="problem" role="alert">
            {t('sidebar.sectionTaken')}
          </p>
        )}
        <div className="form-end">
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" disabled={wanted === '' || isTaken}>
            {section === undefined ? t('sidebar.newSection') : t('topic.rename')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
