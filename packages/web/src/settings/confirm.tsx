import { type ReactNode, useState } from 'react'
import { t } from '../platform/i18n.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

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
