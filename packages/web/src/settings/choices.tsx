import { type ReactNode, useId } from 'react'
import type { Explanation } from '../permissions/why.ts'
import { type PlainId, t } from '../platform/i18n.ts'
import { Icon } from '../ui/icon.tsx'
import { Line, Why } from './controls.tsx'
import { type OnChange, useChosen } from './use-chosen.ts'

export type Choice<T> = readonly [value: T, label: string]

/** Choices whose labels are texts of ours. */
export function named<T>(choices: readonly (readonly [value: T, label: PlainId])[]): Choice<T>[] {
  return choices.map(([value, label]) => [value, t(label)])
}

interface SelectProps<T> {
  label: string
  detail?: ReactNode
  value: T
  choices: readonly Choice<T>[]
  isDisabled?: boolean
  /** Why the viewer may not change it. */
  mayNot?: Explanation | undefined
  onChange: OnChange<T>
}

export function Select<T extends string | number | null>({
  label,
  value,
  choices,
  isDisabled,
  mayNot,
  onChange,
}: SelectProps<T>) {
  const [shown, choose] = useChosen(value, onChange)
  const known = choices.findIndex(([one]) => one === shown)
  return (
    <span className="select-slot">
      <select
        className="select"
        aria-label={label}
        disabled={isDisabled || mayNot !== undefined}
        value={known}
        onChange={({ target }) => void choose(choices[Number(target.value)]![0])}
      >
        {known < 0 && <option value={-1}>{String(shown ?? '')}</option>}
        {choices.map(([one, text], index) => (
          <option key={String(one)} value={index}>
            {text}
          </option>
        ))}
      </select>
      <Icon name="chevrons-up-down" size="s" />
    </span>
  )
}

export function SelectLine<T extends string | number | null>(props: SelectProps<T>) {
  return (
    <Line label={props.label} detail={props.detail} aside={<Why of={props.label} mayNot={props.mayNot} />}>
      <Select {...props} />
    </Line>
  )
}

/** A few choices side by side. */
export function SegmentLine<T extends string | number>({
  label,
  detail,
  value,
  choices,
  isDisabled,
  onChange,
}: SelectProps<T>) {
  const [shown, choose] = useChosen(value, onChange)
  const name = useId()
  return (
    <Line label={label} detail={detail}>
      <div className="seg" role="radiogroup" aria-label={label}>
        {choices.map(([one, text]) => (
          <label key={String(one)} className={`btn ${one === shown ? 'on' : ''}`}>
            <input
              type="radio"
              name={name}
              checked={one === shown}
              disabled={isDisabled}
              onChange={() => void choose(one)}
            />
            {text}
          </label>
        ))}
      </div>
    </Line>
  )
}
