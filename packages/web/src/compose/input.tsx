import type { Destination } from '@parley/client/session/outbox'
import type { ClipboardEvent, KeyboardEvent, RefObject } from 'react'
import { isEverywhere } from '../platform/commands.ts'
import { t } from '../platform/i18n.ts'
import { keyName } from '../platform/keys.ts'
import { useSlices } from '../session/context.tsx'
import { useTextCompletion } from './completion/use-text-completion.ts'
import { insertText, wrapSelection } from './editing.ts'
import { useTextHeight } from './use-text-height.ts'

interface InputProps {
  area: RefObject<HTMLTextAreaElement | null>
  text: string
  placeholder: string
  destination: Destination
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
export function Input({ area, text, placeholder, destination, onText, onSend, onFiles }: InputProps) {
  const store = useSlices('preferences')
  const completion = useTextCompletion(area, destination)
  useTextHeight(area, text)
  const pressed = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isEverywhere(keyName(event))) return
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
    <>
      {completion.list}
      <textarea
        ref={area}
        id="composer"
        className="input"
        aria-label={t('compose.message')}
        {...completion.fieldProps}
        placeholder={placeholder}
        rows={1}
        value={text}
        onChange={({ target }) => {
          onText(target.value)
          completion.changed(target)
        }}
        onBlur={completion.close}
        onKeyDown={pressed}
        onPaste={(event) => pasted(event, onFiles)}
      />
    </>
  )
}

/** Files are attached, a URL over words makes them a link, and formatted text becomes markup. */
function pasted(event: ClipboardEvent<HTMLTextAreaElement>, onFiles: InputProps['onFiles']): void {
  const { clipboardData, currentTarget: area } = event
  if (clipboardData.files.length > 0) return onFiles(clipboardData.files)
  const text = clipboardData.getData('text/plain')
  const html = clipboardData.getData('text/html')
  const hasSelection = area.selectionStart < area.selectionEnd
  if (hasSelection && /^https?:\/\/\S+$/.test(text.trim())) wrapSelection(area, '[', `](${text.trim()})`)
  else if (html !== '') void insertMarkup(area, html, text)
  else return
  event.preventDefault()
}

async function insertMarkup(area: HTMLTextAreaElement, html: string, text: string): Promise<void> {
  const markup = await import('../rendered/markup.ts')
    .then(({ markupOfHtml }) => markupOfHtml(html))
    .catch(() => undefined)
  insertText(area, markup ?? text)
}

/** Ctrl Enter always sends; Enter alone does if the user chose so. */
export function sends({ shiftKey, ctrlKey, metaKey }: KeyboardEvent, entersSend: boolean): boolean {
  return ctrlKey || metaKey || (entersSend && !shiftKey)
}
