import type { ShownMessage } from '@parley/client/messages/cache'
import { useEffect, useRef, useState } from 'react'
import { useTextCompletion } from '../compose/use-text-completion.ts'
import { t } from '../platform/i18n.ts'
import { useSession } from '../session/context.tsx'
import { Button } from '../ui/button.tsx'
import { editMessage } from './actions.ts'

/** Edits the source of a message in place. Enter saves, Escape leaves it as it was. */
export function Editor({ message, onClose }: { message: ShownMessage; onClose: () => void }) {
  const session = useSession()
  const [text, setText] = useState<string>()
  const area = useRef<HTMLTextAreaElement>(null)
  const completion = useTextCompletion(area)
  useEffect(() => {
    session.client
      .call('getMessage', { path: { message_id: message.id }, apply_markdown: false, allow_empty_topic_name: true })
      .then((answer) => setText((typed) => typed ?? answer.message.content))
      .catch(onClose)
  }, [session, message.id, onClose])
  const save = () => void editMessage(session, message.id, text ?? '').then(onClose)
  if (text === undefined) return <p className="quiet">{t('message.loadingSource')}</p>
  return (
    <div className="box editing input-slot">
      {completion.list}
      <textarea
        ref={area}
        className="input"
        aria-label={t('message.editLabel')}
        {...completion.fieldProps}
        // biome-ignore lint/a11y/noAutofocus: the user asked to edit
        autoFocus
        rows={Math.min(12, text.split('\n').length + 1)}
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          completion.changed(target)
        }}
        onBlur={completion.close}
        onKeyDown={(event) => {
          event.stopPropagation()
          if (event.nativeEvent.isComposing || completion.pressed(event)) return
          if (event.key === 'Escape') onClose()
          if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault()
            save()
          }
        }}
      />
      <div className="row">
        <span className="end">
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" onClick={save} disabled={text.trim() === ''}>
            {t('common.save')}
          </Button>
        </span>
      </div>
    </div>
  )
}
