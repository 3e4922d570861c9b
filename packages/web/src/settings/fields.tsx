import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import type { Explanation } from '../permissions/why.ts'
import { Button } from '../ui/button.tsx'
import { Why } from './controls.tsx'

interface TextProps {
  label: string
  detail?: ReactNode
  value: string
  placeholder?: string
  type?: string
  maxLength?: number
  min?: number
  max?: number
  isLong?: boolean
  isDisabled?: boolean
  /** Why the viewer may not change it. */
  mayNot?: Explanation | undefined
  /** Returns whether the change was accepted; otherwise the text stays, to be corrected. */
  onSave: (value: string) => Promise<boolean>
}

/** The value, or the one that the server has accepted while its event is still on the way. */
function useAccepted(value: string): [current: string, setAccepted: (text: string) => void] {
  const [accepted, setAccepted] = useState<string>()
  const newest = useRef(value)
  useEffect(() => {
    newest.current = value
    setAccepted(undefined)
  }, [value])
  return [accepted ?? value, (text) => newest.current === value && setAccepted(text)]
}

/** For fields with the focus: they are not blurred when they disappear, such as by going back. */
function useWhenRemoved(work: (() => Promise<void>) | undefined): void {
  const latest = useRef(work)
  useEffect(() => {
    latest.current = work
  })
  useEffect(() => () => void latest.current?.(), [])
}

/** A text that is saved when the field is left or Enter is pressed. Escape restores it. */
export function TextLine({ label, detail, value, isLong, isDisabled, mayNot, onSave, ...input }: TextProps) {
  const [draft, setDraft] = useState<string>()
  const [isFocused, setFocused] = useState(false)
  const [current, setAccepted] = useAccepted(value)
  const id = useId()
  const commit = async () => {
    const text = draft?.trim()
    if (text === undefined || text === current) return setDraft(undefined)
    if (!(await onSave(text))) return
    setAccepted(text)
    setDraft((newer) => (newer?.trim() === text ? undefined : newer))
  }
  useWhenRemoved(isFocused ? commit : undefined)
  const common = {
    id,
    disabled: isDisabled || mayNot !== undefined,
    value: draft ?? current,
    onChange: ({ target }: { target: { value: string } }) => setDraft(target.value),
    onFocus: () => setFocused(true),
    onBlur: () => {
      setFocused(false)
      void commit()
    },
    onKeyDown: (event: React.KeyboardEvent) => {
      if (event.nativeEvent.isComposing) return
      if (event.key === 'Escape') setDraft(undefined)
      if (event.key === 'Enter' && (!isLong || event.ctrlKey)) (event.target as HTMLElement).blur()
    },
    ...input,
  }
  return (
    <div className="line-item text-line">
      <div>
        <span className="named">
          <label htmlFor={id}>{label}</label>
          <Why of={label} mayNot={mayNot} />
        </span>
        {detail && <span className="d">{detail}</span>}
      </div>
      {isLong ? <textarea className="text-input" rows={3} {...common} /> : <input className="text-input" {...common} />}
    </div>
  )
}

interface FieldProps {
  label: string
  hint?: ReactNode
  children: (id: string) => ReactNode
}

/** A labelled field of a form. */
export function Field({ label, hint, children }: FieldProps) {
  const id = useId()
  return (
    <div className="form-field">
      <label htmlFor={id}>{label}</label>
      {children(id)}
      {hint && <span className="d">{hint}</span>}
    </div>
  )
}

/** A form whose fields are read by name when it is sent. It says why it was refused. */
export function Form({ button, isDisabled, onSend, children }: FormProps) {
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)
  const send = async (event: React.FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    if (isBusy) return
    setBusy(true)
    const sent = new FormData(form)
    const refused = await onSend(sent)
    setBusy(false)
    setProblem(refused ?? '')
    if (refused === undefined && isSame(sent, new FormData(form))) form.reset() // else the next one is being typed
  }
  return (
    <form className="form" onSubmit={(event) => void send(event)}>
      {children}
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <div className="form-end">
        <Button type="submit" look="primary" disabled={isDisabled} aria-disabled={isBusy}>
          {button}
        </Button>
      </div>
    </form>
  )
}

function isSame(a: FormData, b: FormData): boolean {
  return JSON.stringify([...a]) === JSON.stringify([...b])
}

interface FormProps {
  button: string
  isDisabled?: boolean
  /** Returns why it was refused, if it was. */
  onSend: (values: FormData) => Promise<string | undefined>
  children: ReactNode
}
