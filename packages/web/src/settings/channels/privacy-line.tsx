import { useState } from 'react'
import type { Explanation } from '../../permissions/why.ts'
import { t } from '../../platform/i18n.ts'
import { useSlices } from '../../session/context.tsx'
import { SelectLine } from '../choices.tsx'
import { ConfirmDialog } from '../confirm.tsx'
import { type KnownChannel, type Privacy, privacyChoices, privacyChoicesFor, privacyOf } from './channels-model.ts'

/** Who reads a channel. Before everyone on the web can read it, it asks and says what becomes visible. */
export function PrivacyLine({ channel, mayNot, onChange }: PrivacyProps) {
  const store = useSlices('viewer')
  const [isAsking, setAsking] = useState(false)
  const privacy = privacyOf(channel)
  return (
    <>
      <SelectLine
        label={t('channel.privacy')}
        detail={t(privacyChoices.find(([one]) => one === privacy)![2])}
        value={privacy}
        choices={privacyChoicesFor(store, privacy).map(([value, label]) => [value, t(label)] as const)}
        mayNot={mayNot}
        onChange={(chosen) => (chosen === 'open' && privacy !== 'open' ? setAsking(true) : onChange(chosen))}
      />
      {isAsking && (
        <ConfirmDialog
          label={t('channel.open.confirm')}
          question={t('channel.open.question', { name: channel.name })}
          explanation={t('channel.open.consequence')}
          onConfirm={() => onChange('open')}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}

interface PrivacyProps {
  channel: KnownChannel
  mayNot: Explanation | undefined
  onChange: (privacy: Privacy) => void
}
