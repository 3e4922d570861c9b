import { type ReactNode, useId, useState } from 'react'
import { t } from '../platform/i18n.ts'
import { listStep } from '../platform/keys.ts'
import { Options } from '../ui/options.tsx'
import { matching } from './model.ts'

export interface Option {
  key: string
  label: string
  detail?: string
  start?: ReactNode
}

interface PickerProps<O extends Option> {
  label: string
  placeholder: string
  options: readonly O[]
  onPick: (option: O) => void
}

const shown = 8

/** A text field that offers what matches. Arrow keys choose, Enter picks, Escape closes. */
export function Picker<O extends Option>({ label, placeholder, options, onPick }: PickerProps<O>) {
  const [query, setQuery] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(0)
  const id = useId()
  const found = matching(options, query).slice(0, shown)
  const pick = (option: O | undefined) => {
    if (!option) return
    setQuery('')
    setActive(0)
    setOpen(false)
    onPick(option)
  }
  const pressed = (event: React.KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const step = listStep(event.key)
    if (event.key === 'Escape') setOpen(false)
    if (event.key === 'Enter' && isOpen) pick(found[active])
    if (step !== undefined) {
      setOpen(true)
      setActive((active + step + found.length) % Math.max(found.length, 1))
    }
    if (step !== undefined || event.key === 'Enter') event.preventDefault()
  }
  return (
    <span className="picker">
      <input
        className="text-input"
        role="combobox"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && found.length > 0 ? `${id}-${active}` : undefined}
        placeholder={placeholder}
        value={query}
        onFocus={() => setOpen(true)}
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={pressed}
        onChange={({ target }) => {
          setQuery(target.value)
          setActive(0)
          setOpen(true)
        }}
      />
      <Options
        id={id}
        label={label}
        hidden={!isOpen}
        chosen={active}
        emptyText={t('picker.none')}
        options={found.map((option) => ({
          key: option.key,
          onPick: () => pick(option),
          content: (
            <>
              {option.start}
              <b>{option.label}</b>
              {option.detail && <span className="d">{option.detail}</span>}
            </>
          ),
        }))}
      />
    </span>
  )
}
