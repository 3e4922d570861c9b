import { type ReactNode, useId, useState } from 'react'
import type { Explanation } from '../permissions/why.ts'
import { WhyButton } from '../permissions/why-button.tsx'
import { t } from '../platform/i18n.ts'
import { Button } from '../ui/button.tsx'
import { copyText } from './saving.ts'
import { type OnChange, useChosen } from './use-chosen.ts'

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
  /** Beside the label. */
  aside?: ReactNode
  children?: ReactNode
}

/** One line of a card: what it is, and at its end what can be done. */
export function Line({ label, detail, start, aside, children }: LineProps) {
  return (
    <div className="line-item">
      {start}
      <div>
        <span className="named">
          <b>{label}</b>
          {aside}
        </span>
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
  /** Why the viewer may not change it. */
  mayNot?: Explanation | undefined
  onChange: OnChange<boolean>
}

export function SwitchLine({ label, detail, isOn: accepted, isDisabled, mayNot, onChange }: SwitchProps) {
  const [isOn, choose] = useChosen(accepted, onChange)
  return (
    <Line label={label} detail={detail} aside={<Why of={label} mayNot={mayNot} />}>
      <button
        type="button"
        role="switch"
        aria-checked={isOn}
        aria-label={label}
        disabled={isDisabled || mayNot !== undefined}
        className={`switch ${isOn ? 'on' : ''}`}
        onClick={() => void choose(!isOn)}
      />
    </Line>
  )
}

/** Beside a control that the viewer may not use. */
export function Why({ of, mayNot }: { of: string; mayNot: Explanation | undefined }) {
  return mayNot && <WhyButton of={of} explanation={mayNot} />
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
