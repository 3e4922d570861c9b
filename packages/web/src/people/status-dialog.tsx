import { nameLimits } from '@parley/api/limits'
import { glyphOf } from '@parley/markdown/glyph'
import { type FormEvent, Suspense, useRef, useState } from 'react'
import { t } from '../platform/i18n.ts'
import { shortTime } from '../platform/times.ts'
import { act } from '../session/act.ts'
import { useSession } from '../session/context.tsx'
import { lazyPart } from '../session/lazy-part.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { type StatusEnd, statusEnds, statusSuggestions } from './status-suggestions.ts'

const EmojiPicker = lazyPart(() => import('../messages/emoji-picker.tsx').then((one) => one.EmojiPicker))

const endTexts = {
  never: 'status.end.never',
  halfHour: 'status.end.halfHour',
  hour: 'status.end.hour',
  fourHours: 'status.end.fourHours',
  today: 'status.end.today',
} as const

const noEmoji = { emoji_name: '', emoji_code: '', reaction_type: '' }

/** The viewer's status: an emoji, a text, and when it ends. */
export function StatusDialog({ onClose }: { onClose: () => void }) {
  const session = useSession()
  const before = session.store!.statuses.byUser.get(session.viewerId)
  const { emoji_name = '', emoji_code = '', reaction_type = '', scheduled_end_time: endsAt } = before ?? {}
  const [emoji, setEmoji] = useState({ emoji_name, emoji_code, reaction_type })
  const [text, setText] = useState(before?.status_text ?? '')
  const [end, setEnd] = useState<StatusEnd | 'kept'>(endsAt ? 'kept' : 'never')
  const [isPicking, setPicking] = useState(false)
  const anchor = useRef<HTMLButtonElement>(null)
  const put = (status_text: string, one: typeof emoji, scheduled_end_time: number | null) =>
    session.client.call('updateStatus', { status_text, ...one, scheduled_end_time })
  const set = (done: string, status_text: string, one: typeof emoji, until: number | null) => {
    onClose()
    const undo = () =>
      void act(put(before?.status_text ?? '', { emoji_name, emoji_code, reaction_type }, endsAt ?? null))
    void act(put(status_text, one, until), done, undo)
  }
  const save = (event: FormEvent) => {
    event.preventDefault()
    set(t('status.saved'), text.trim(), emoji, end === 'kept' ? endsAt! : statusEnds[end]())
  }
  const ends = Object.entries(endTexts) as [StatusEnd, (typeof endTexts)[StatusEnd]][]
  return (
    <Dialog title={t('status.title')} onClose={onClose} look="status-dialog">
      <form className="form" onSubmit={save}>
        <div className="status-field">
          <button
            ref={anchor}
            type="button"
            className="btn outline square"
            aria-label={t('status.emoji', { name: emoji.emoji_name || t('common.notSet') })}
            onClick={() => setPicking(true)}
          >
            {emoji.emoji_code ? glyphOf(emoji.emoji_code) : <Icon name="face-slightly-smiling-plus" />}
          </button>
          <input
            className="text-input"
            aria-label={t('status.title')}
            placeholder={t('status.placeholder')}
            maxLength={nameLimits.status}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </div>
        {isPicking && (
          <Suspense>
            <EmojiPicker
              anchor={() => anchor.current}
              onClose={() => setPicking(false)}
              onPick={(one) => one.reaction_type === 'unicode_emoji' && setEmoji(one)}
            />
          </Suspense>
        )}
        <div className="status-choices">
          {statusSuggestions.map(([code, name, label, until]) => (
            <button
              key={code}
              type="button"
              className="item"
              onClick={() => {
                setEmoji({ emoji_name: name, emoji_code: code, reaction_type: 'unicode_emoji' })
                setText(t(label))
                setEnd(until)
              }}
            >
              <span aria-hidden="true">{glyphOf(code)}</span>
              <span className="name">{t(label)}</span>
              <span className="count">{until !== 'never' && t(endTexts[until])}</span>
            </button>
          ))}
        </div>
        <label>
          {t('status.end')}
          <select value={end} onChange={({ target }) => setEnd(target.value as StatusEnd)}>
            {endsAt && <option value="kept">{t('status.until', { time: shortTime(endsAt) })}</option>}
            {ends.map(([value, label]) => (
              <option key={value} value={value}>
                {t(label)}
              </option>
            ))}
          </select>
        </label>
        <div className="form-end">
          {before && <Button onClick={() => set(t('status.cleared'), '', noEmoji, null)}>{t('status.clear')}</Button>}
          <Button look="primary" type="submit">
            {t('common.save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
