import type { HTMLAttributes, ReactNode, Ref } from 'react'

export interface Option {
  key: string
  content: ReactNode
  onPick: () => void
}

interface OptionsProps extends HTMLAttributes<HTMLDivElement> {
  ref?: Ref<HTMLDivElement>
  id: string
  label: string
  options: readonly Option[]
  chosen: number
  /** What it says if there are no options. */
  emptyText?: string
}

/** What a combobox offers. The focus stays in its field, which names the chosen option by its id. */
export function Options({ id, label, options, chosen, emptyText, ...attributes }: OptionsProps) {
  return (
    <div id={id} role="listbox" aria-label={label} {...attributes}>
      {options.map(({ key, content, onPick }, index) => (
        <button
          key={key}
          id={`${id}-${index}`}
          type="button"
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          ref={index === chosen ? (option) => option?.scrollIntoView({ block: 'nearest' }) : undefined}
          onMouseDown={(event) => event.preventDefault()}
          onClick={onPick}
        >
          {content}
        </button>
      ))}
      {emptyText && options.length === 0 && (
        <div className="none" role="option" tabIndex={-1} aria-selected={false} aria-disabled="true">
          {emptyText}
        </div>
      )}
    </div>
  )
}
