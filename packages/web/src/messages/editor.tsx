import { ParleyError } from '@parley/client/errors'
import type { ShownMessage } from '@parley/client/messages/cache'
import { useEffect, useRef, useState } from 'react'
import { echoOf, useLocalRendering } from '../compose/local-rendering.ts'
import { useTextCompletion } from '../compose/use-text-completion.ts'
import { t } from '../platform/i18n.ts'
import { useChanges, useSession } from '../session/context.tsx'
import { Button } from '../ui/button.tsx'
import { editMessage } from './actions.ts'
import { sourceOf } from './source.ts'

/** Edits the source of a message in place. Enter saves, Escape leaves it as it was. */
export function Editor({ message, onClose }: { message: ShownMessage; onClose: () => void }) {
  const session = useSession()
  useChanges()
  const [text, setText] = useState(message.source)
  const [isUnknown, setUnknown] = useState(false)
  const area = useRef<HTMLTextAreaElement>(null)
  const completion = useTextCompletion(area)
  const rendering = useLocalRendering(text ?? '')
  const isLoaded = text !== undefined
  const { connection } = session
  useEffect(() => {
    if (isLoaded || (connection === 'offline' && isUnknown)) return
    sourceOf(session, message).then(
      (source) => setText((typed) => typed ?? source),
      (error) => (error instanceof ParleyError ? onClose() : setUnknown(true)),
    )
  }, [session, message, isLoaded, connection, isUnknown, onClose])
  const save = async () => {
    const source = (text ?? '').trim()
    if (await editMessage(session, message, source, echoOf(rendering, source))) onClose()
  }
  if (text === undefined)
    return (
      <p className="quiet" role="status">
        {isUnknown ? t('message.sourceUnknown') : t('message.loadingSource')}{' '}
        <Button onClick={onClose}>{t('common.cancel')}</Button>
      </p>
    )
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
            void save()
          }
        }}
      />
      <div className="row">
        <span className="end">
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" onClick={() => void save()} disabled={text.trim() === ''}>
            {t('common.save')}
          </Button>
        </span>
      </div>
    </div>
  )
}
