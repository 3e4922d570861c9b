import { type ClipboardEvent, type KeyboardEvent, type RefObject, useState } from 'react'
import { t } from '../platform/i18n.ts'
import { keyName } from '../platform/keys.ts'
import { useStore } from '../session/context.tsx'
import { type Suggestion, suggest } from './completion.ts'
import { useCompletion } from './completion-list.tsx'
import { insertText, wrapSelection } from './editing.ts'
import { useSources } from './use-sources.ts'

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
  const sources = useSources()
  const [before, setBefore] = useState<string>()
  const close = () => setBefore(undefined)
  const found = before === undefined ? undefined : suggest(sources, before)
  const take = ({ text: replacement }: Suggestion) => {
    const { selectionStart } = area.current!
    area.current!.setSelectionRange(selectionStart - found!.length, selectionStart)
    insertText(area.current!, replacement)
    close()
  }
  const completion = useCompletion(found?.suggestions ?? [], take, close)
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
          setBefore(target.value.slice(0, target.selectionStart))
          completion.reset()
        }}
        onBlur={close}
        onKeyDown={pressed}
        onPaste={({ clipboardData: { files } }: ClipboardEvent) => files.length > 0 && onFiles(files)}
      />
    </div>
  )
}

/** Ctrl Enter always sends; Enter alone does if the user chose so. */
function sends({ shiftKey, ctrlKey, metaKey }: KeyboardEvent, entersSend: boolean): boolean {
  return ctrlKey || metaKey || (entersSend && !shiftKey)
}
