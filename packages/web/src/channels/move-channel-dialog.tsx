import { type FormEvent, useState } from 'react'
import { t } from '../platform/i18n.ts'
import { useSession } from '../session/context.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { placeBefore, placeChannel, sectionsFor } from './arrange.ts'

const longestName = 60

/** Chooses the section of a channel, or makes one for it. */
export function MoveChannelDialog({ channelId, onClose }: { channelId: number; onClose: () => void }) {
  const session = useSession()
  const sections = sectionsFor(session, channelId)
  const [key, setKey] = useState(
    () => sections.find(({ channels }) => channels.some(({ id }) => id === channelId))?.key ?? '',
  )
  const [typed, setTyped] = useState('')
  const name = typed.trim()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onClose()
    const section = sections.find((one) => (name ? one.isOwn && one.name === name : one.key === key))
    if (section) void placeBefore(session, channelId, section)
    else if (name) void placeChannel(session, channelId, { key: '', isOwn: true, name, channels: [channelId] })
  }
  return (
    <Dialog title={t('sidebar.moveTo')} onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <fieldset>
          <legend>{t('sidebar.section')}</legend>
          {sections.map((section) => (
            <label key={section.key} className="choice">
              <input
                type="radio"
                name="section"
                checked={!name && section.key === key}
                onChange={() => {
                  setKey(section.key)
                  setTyped('')
                }}
              />{' '}
              {section.name}
            </label>
          ))}
        </fieldset>
        <label>
          {t('sidebar.newSection')}
          <input value={typed} maxLength={longestName} onChange={({ target }) => setTyped(target.value)} />
        </label>
        <div className="form-end">
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit">
            {t('move.move')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
