import { useState } from 'react'
import { list, t } from '../platform/i18n.ts'
import { useSlices } from '../session/context.tsx'
import { knownChannels } from '../settings/channels/channels-model.ts'
import { ConfirmDialog } from '../settings/confirm.tsx'
import { SwitchLine } from '../settings/controls.tsx'
import { useRealmSettings } from './use-realm.ts'

const name = 'enable_spectator_access'

/** Whether channels can be read without an account. Before it allows that, it says what becomes visible. */
export function OpenAccessLine() {
  const { get, set, ownersOnly } = useRealmSettings()
  const [isAsking, setAsking] = useState(false)
  const isOn = get(name) === true
  return (
    <>
      <SwitchLine
        label={t('organization.open')}
        detail={
          <>
            {t('organization.open.text')}
            {isOn && (
              <>
                {'. '}
                <a className="linkish" href="/open" target="_blank" rel="noreferrer">
                  {t('organization.open.look')}
                </a>
              </>
            )}
          </>
        }
        isOn={isOn}
        mayNot={ownersOnly}
        onChange={(next) => (next ? setAsking(true) : void set(name, false))}
      />
      {isAsking && <OpenQuestion onConfirm={() => void set(name, true)} onClose={() => setAsking(false)} />}
    </>
  )
}

function OpenQuestion({ onConfirm, onClose }: { onConfirm: () => void; onClose: () => void }) {
  const store = useSlices('channels')
  const open = knownChannels(store).filter(({ is_web_public, is_archived }) => is_web_public && !is_archived)
  const channels = list(open.map((channel) => `#${channel.name}`))
  return (
    <ConfirmDialog
      label={t('organization.open.confirm')}
      question={t('organization.open.question')}
      explanation={
        <>
          {open.length > 0 ? t('organization.open.channels', { channels }) : t('organization.open.none')}{' '}
          {t('organization.open.consequence')}
        </>
      }
      onConfirm={onConfirm}
      onClose={onClose}
    />
  )
}
