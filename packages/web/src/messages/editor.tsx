import type { ShownMessage } from '@parley/client/messages/cache'
import { ParleyError } from '@parley/client/wire/errors'
import { useEffect, useRef, useState } from 'react'
import { useTextCompletion } from '../compose/completion/use-text-completion.ts'
import { sends } from '../compose/input.tsx'
import { useLength } from '../compose/length.tsx'
import { echoOf, useLocalRendering } from '../compose/local-rendering.ts'
import { useTextHeight } from '../compose/use-text-height.ts'
import { t } from '../platform/i18n.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { Button } from '../ui/button.tsx'
import { editMessage } from './actions.ts'
import { sourceOf } from './source.ts'
import { unsavedEditsOf } from './unsaved-edits.ts'

interface EditorProps {
  message: ShownMessage
  /** What was typed so far; undefined until it is known what the message says. */
  text: string | undefined
  /** The user has just asked for it: it did not only come back into view. */
  hasFocus: boolean
}

/** Edits the source of a message in place. The keys that send a message save it, Escape leaves it as it was. */
export function Editor({ message, text, hasFocus }: EditorProps) {
  const session = useSession()
  const { preferences } = useSlices('preferences')
  const edits = unsavedEditsOf(session)
  const { id } = message
  const [isUnknown, setUnknown] = useState(false)
  const area = useRef<HTMLTextAreaElement>(null)
  const completion = useTextCompletion(area)
  useTextHeight(area, text)
  const length = useLength(text ?? '')
  const rendering = useLocalRendering(text ?? '')
  const isLoaded = text !== undefined
  const { connection } = session
  useEffect(() => {
    if (isLoaded || (connection === 'offline' && isUnknown)) return
    sourceOf(session, message).then(
      (source) => edits.load(id, source),
      (error) => (error instanceof ParleyError ? edits.end(id) : setUnknown(true)),
    )
  }, [session, edits, id, message, isLoaded, connection, isUnknown])
  useEffect(() => {
    const field = area.current
    if (hasFocus && isLoaded && field) field.setSelectionRange(field.value.length, field.value.length)
  }, [hasFocus, isLoaded])
  const cancel = () => edits.cancel(id)
  const save = async () => {
    if (length.isTooLong) return
    const source = (text ?? '').trim()
    if (await editMessage(session, message, source, echoOf(rendering, source))) edits.end(id)
  }
  if (text === undefined)
    return (
      <p className="quiet" role="status">
        {isUnknown ? t('message.sourceUnknown') : t('message.loadingSource')}{' '}
        <Button onClick={cancel}>{t('common.cancel')}</Button>
      </p>
    )
  return (
    <div className="box editing">
      {length.line}
      {completion.list}
      <textarea
        ref={area}
        className="input"
        aria-label={t('message.editLabel')}
        {...completion.fieldProps}
        // biome-ignore lint/a11y/noAutofocus: the user asked to edit
        autoFocus={hasFocus}
        rows={2}
        value={text}
        onChange={({ target }) => {
          edits.write(id, target.value)
          completion.changed(target)
        }}
        onBlur={completion.close}
        onKeyDown={(event) => {
          event.stopPropagation()
          if (event.nativeEvent.isComposing || completion.pressed(event)) return
          if (event.key === 'Escape') cancel()
          if (event.key === 'Enter' && sends(event, preferences.get('enter_sends') === true)) {
            event.preventDefault()
            void save()
          }
        }}
      />
      <div className="row">
        <span className="end">
          <Button onClick={cancel}>{t('common.cancel')}</Button>
          <Button look="primary" onClick={() => void save()} disabled={text.trim() === '' || length.isTooLong}>
            {t('common.save')}
          </Button>
        </span>
      </div>
    </div>
  )
}
