import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { type PlainId, t } from '../platform/i18n.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { copyText } from './saving.ts'

export function Card({ title, text, action, children }: CardProps) {
  const id = useId()
  return (
    <section className="card" aria-labelledby={title ? id : undefined}>
      {title && (
        <header>
          <div>
            <h2 id={id}>{title}</h2>
            {text && <p>{text}</p>}
          </div>
          {action}
        </header>
      )}
      {children}
    </section>
  )
}
interface CardProps {
  title?: string
  text?: ReactNode
  action?: ReactNode
  children?: ReactNode
}

interface LineProps {
  label: ReactNode
  detail?: ReactNode
  start?: ReactNode
  children?: ReactNode
}

/** One line of a card: what it is, and at its end what can be done. */
export function Line({ label, detail, start, children }: LineProps) {
  return (
    <div className="line-item">
      {start}
      <div>
        <b>{label}</b>
        {detail && <span className="d">{detail}</span>}
      </div>
      <div className="line-end">{children}</div>
    </div>
  )
}

interface SwitchProps {
  label: string
  detail?: ReactNode
  isOn: boolean
  isDisabled?: boolean
  /** A promise says whether the change was accepted. Until then, the switch shows it already. */
  onChange: (isOn: boolean) => unknown
}

export function SwitchLine({ label, detail, isOn: accepted, isDisabled = false, onChange }: SwitchProps) {
  const [chosen, setChosen] = useState<boolean>()
  useEffect(() => setChosen(undefined), [accepted])
  const isOn = chosen ?? accepted
  const press = async () => {
    const result = onChange(!isOn)
    if (!(result instanceof Promise)) return
    setChosen(!isOn)
    if (!(await result)) setChosen(undefined)
  }
  return (
    <Line label={label} detail={detail}>
      <button
        type="button"
        role="switch"
        aria-checked={isOn}
        aria-label={label}
        disabled={isDisabled}
        className={`switch ${isOn ? 'on' : ''}`}
        onClick={() => void press()}
      />
    </Line>
  )
}

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
  onChange: (value: T) => void
}

export function Select<T extends string | number | null>({
  label,
  value,
  choices,
  isDisabled,
  onChange,
}: SelectProps<T>) {
  const known = choices.findIndex(([one]) => one === value)
  return (
    <span className="select-slot">
      <select
        className="select"
        aria-label={label}
        disabled={isDisabled}
        value={known}
        onChange={({ target }) => onChange(choices[Number(target.value)]![0])}
      >
        {known < 0 && <option value={-1}>{String(value ?? '')}</option>}
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
    <Line label={props.label} detail={props.detail}>
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
  return (
    <Line label={label} detail={detail}>
      <div className="seg" role="radiogroup" aria-label={label}>
        {choices.map(([one, text]) => (
          <button
            key={String(one)}
            type="button"
            role="radio"
            aria-checked={one === value}
            disabled={isDisabled}
            className={`btn ${one === value ? 'on' : ''}`}
            onClick={() => one !== value && onChange(one)}
          >
            {text}
          </button>
        ))}
      </div>
    </Line>
  )
}

interface TextProps {
  label: string
  detail?: ReactNode
  value: string
  placeholder?: string
  type?: string
  maxLength?: number
  isLong?: boolean
  isDisabled?: boolean
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
export function TextLine({ label, detail, value, isLong, isDisabled, onSave, ...input }: TextProps) {
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
    disabled: isDisabled,
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
        <label htmlFor={id}>{label}</label>
        {detail && <span className="d">{detail}</span>}
      </div>
      {isLong ? <textarea className="text-input" rows={3} {...common} /> : <input className="text-input" {...common} />}
    </div>
  )
}

/**
 * Does something once at a time, however often it is clicked, and once for a double click, also if the first click is done
 * before the second. It keeps the focus, which disabled buttons lose.
 */
export function OnceButton({ onPress, ...props }: Parameters<typeof Button>[0] & { onPress: () => Promise<unknown> }) {
  const [isBusy, setBusy] = useState(false)
  const press = async () => {
    if (isBusy) return
    setBusy(true)
    await onPress()
    setBusy(false)
  }
  return (
    <Button look="outline" {...props} aria-disabled={isBusy} onClick={({ detail }) => detail < 2 && void press()} />
  )
}

/** Asks before what cannot be undone. */
export function ConfirmButton({ label, question, explanation, onConfirm, isDanger = true }: ConfirmProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button look={`outline ${isDanger ? 'danger' : ''}`} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && (
        <ConfirmDialog {...{ label, question, explanation, isDanger, onConfirm }} onClose={() => setOpen(false)} />
      )}
    </>
  )
}

/** The question itself, for what a button of its own does not begin. */
export function ConfirmDialog({ label, question, explanation, onConfirm, isDanger = true, onClose }: DialogProps) {
  return (
    <Dialog title={question} onClose={onClose}>
      <p className="dialog-text">{explanation}</p>
      <div className="dialog-actions">
        <Button onClick={onClose}>{t('common.cancel')}</Button>
        <Button
          look={isDanger ? 'outline danger' : 'primary'}
          onClick={() => {
            onClose()
            onConfirm()
          }}
        >
          {label}
        </Button>
      </div>
    </Dialog>
  )
}
interface ConfirmProps {
  label: string
  question: string
  explanation: ReactNode
  onConfirm: () => void
  isDanger?: boolean
}
interface DialogProps extends ConfirmProps {
  onClose: () => void
}

/** A secret or a link to pass on. */
export function Copyable({ text, label }: { text: string; label: string }) {
  return (
    <div className="copyable">
      <input
        className="text-input"
        readOnly
        aria-label={label}
        value={text}
        onFocus={({ target }) => target.select()}
      />
      <Button look="outline" icon="copy" onClick={() => void copyText(text)}>
        {t('common.copy')}
      </Button>
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
