import { Button } from './button.tsx'

interface SegmentsProps<Value> {
  label: string
  options: readonly (readonly [value: Value, text: string])[]
  value: Value
  onChange: (value: Value) => void
  look?: string
}

/** Buttons side by side, of which one is chosen. */
export function Segments<Value>({ label, options, value, onChange, look = '' }: SegmentsProps<Value>) {
  return (
    <fieldset className={`seg ${look}`} aria-label={label}>
      {options.map(([one, text]) => (
        <Button
          key={String(one)}
          look={one === value ? 'on' : ''}
          aria-pressed={one === value}
          onClick={() => onChange(one)}
        >
          {text}
        </Button>
      ))}
    </fieldset>
  )
}
