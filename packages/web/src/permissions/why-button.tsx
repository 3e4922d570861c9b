import { useRef, useState } from 'react'
import { PersonButton } from '../people/person-button.tsx'
import { nameOf } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { useSlices } from '../session/context.tsx'
import { IconButton } from '../ui/button.tsx'
import { Popover } from '../ui/popover.tsx'
import type { Explanation } from './why.ts'

/** Says why the viewer may do something or not, and who can help. `of` names the control beside it. */
export function WhyButton({ of, explanation }: { of: string; explanation: Explanation }) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const label = t(explanation.isAllowed ? 'why.allowed' : 'why.notAllowed')
  return (
    <>
      <IconButton
        ref={button}
        label={label}
        icon="circle-question-mark"
        look="tiny why"
        aria-haspopup="dialog"
        aria-description={of}
        onClick={() => setOpen(true)}
      />
      {isOpen && (
        <Popover label={label} anchor={() => button.current} onClose={() => setOpen(false)} look="why-card">
          {explanation.sentences.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          {explanation.helpers.length > 0 && <Helpers ids={explanation.helpers} />}
        </Popover>
      )}
    </>
  )
}

function Helpers({ ids }: { ids: readonly number[] }) {
  const store = useSlices('users')
  return (
    <div className="helpers">
      {t('why.helpers')}
      {ids.map((id) => (
        <PersonButton key={id} userId={id} name={nameOf(store, id)} />
      ))}
    </div>
  )
}
