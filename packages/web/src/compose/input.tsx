import type { ClipboardEvent, KeyboardEvent, RefObject } from 'react'
import { t } from '../platform/i18n.ts'
import { keyName } from '../platform/keys.ts'
import { useStore } from '../session/context.tsx'
import { wrapSelection } from './editing.ts'
import { useTextCompletion } from './use-text-completion.ts'

interface InputProps {
  area: RefObject<HTMLTextAreaElement | null>
  text: string
  placeholder: string
  onText: (text: string) => void
  onSend: () => void
  onFiles: (files: Iterable<File>) => void
}

const formats = new Map<string, readonly [before: string, after: string]>([
  ['Ctrl+b', ['**', '**']],
  ['Ctrl+i', ['*', '*']],
  ['Ctrl+Shift+l', ['[', '](url)']],
])

/** The text field of the composer. */
export function Input({ area, text, placeholder, onText, onSend, onFiles }: InputProps) {
  const store = useStore()
  const completion = useTextCompletion(area)
  const pressed = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    event.stopPropagation()
    if (event.nativeEvent.isComposing || completion.pressed(event)) return
    if (event.key === 'Escape') return event.currentTarget.blur()
    const marks = formats.get(keyName(event))
    if (marks) {
      event.preventDefault()
      return wrapSelection(event.currentTarget, ...marks)
    }
    if (event.key !== 'Enter' || !sends(event, store.preferences.get('enter_sends') === true)) return
    event.preventDefault()
    onSend()
  }
  return (
    <div className="input-slot">
      {completion.list}
      <textarea
        ref={area}
        id="composer"
        className="input"
        aria-label={t('compose.message')}
        {...completion.fieldProps}
        placeholder={placeholder}
        rows={Math.min(14, Math.max(1, text.split('\n').length))}
        value={text}
        onChange={({ target }) => {
          onText(target.value)
          completion.changed(target)
        }}
        onBlur={completion.close}
        onKeyDown={pressed}
        onPaste={({ clipboardData: { files } }: ClipboardEvent) => files.length > 0 && onFiles(files)}
      />
    </div>
  )
}

/** Ctrl Enter always sends; Enter alone does if the user chose so. */
export function sends({ shiftKey, ctrlKey, metaKey }: KeyboardEvent, entersSend: boolean): boolean {
  return ctrlKey || metaKey || (entersSend && !shiftKey)
}
