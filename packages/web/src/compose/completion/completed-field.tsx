import { type InputHTMLAttributes, useRef } from 'react'
import type { Suggestion } from './completion.ts'
import { useCompletion } from './use-completion.tsx'

interface CompletedFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange'> {
  label: string
  /** How many characters before the caret are completed. */
  length: number
  suggestions: readonly Suggestion[]
  onTake: (text: string) => void
  onClose: () => void
  onType: (text: string) => void
}

/** A field of one line that is completed while the user types. */
export function CompletedField(props: CompletedFieldProps) {
  const { label, length, suggestions, onTake, onClose, onType, ...attributes } = props
  const field = useRef<HTMLInputElement>(null)
  const completion = useCompletion(field, { length, suggestions }, ({ text }) => onTake(text), onClose)
  return (
    <span className="topic-slot">
      {completion.list}
      <input
        ref={field}
        className="topic-input"
        aria-label={label}
        autoComplete="off"
        {...attributes}
        {...completion.fieldProps}
        onChange={({ target }) => {
          onType(target.value)
          completion.reset()
        }}
        onKeyDown={(event) => {
          event.stopPropagation()
          completion.pressed(event)
        }}
      />
    </span>
  )
}
