import { useEffect, useState } from 'react'
import { usePermission } from '../../notify/permission.ts'
import {
  NoPushService,
  type PushState,
  readPushState,
  sendTestPush,
  turnPushOff,
  turnPushOn,
} from '../../notify/push.ts'
import { t } from '../../platform/i18n.ts'
import { useSession } from '../../session/context.tsx'
import { Button } from '../../ui/button.tsx'
import { Line, SwitchLine } from '../controls.tsx'
import { reasonOf, save } from '../saving.ts'
import { stateTexts } from './outcome-texts.ts'

/** Whether this browser is notified while Parley is closed. */
export function PushLine() {
  const { client } = useSession()
  const permission = usePermission()
  const [state, setState] = useState<PushState | 'loading'>('loading')
  const [error, setError] = useState<string>()
  const run = async (work: Promise<PushState>) => {
    try {
      setError(undefined)
      setState(await work)
    } catch (problem) {
      setError(textOf(problem))
      setState((now) => (now === 'loading' ? 'off' : now))
    }
  }
  // The user may have decided in the settings of the browser.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `run` is built again each time.
  useEffect(() => void run(readPushState(client)), [client, permission])
  const change = (isOn: boolean) => {
    setState('loading')
    void run(isOn ? turnPushOn(client) : turnPushOff(client))
  }
  return (
    <>
      <SwitchLine
        label={t('push.label')}
        detail={t(stateTexts[state])}
        isOn={state === 'on'}
        isDisabled={state !== 'on' && state !== 'off'}
        onChange={change}
      />
      {error && (
        <p className="line-item problem" role="alert">
          {error}
        </p>
      )}
      {state === 'on' && (
        <Line label={t('push.test')}>
          <Button look="outline" onClick={() => void save(() => sendTestPush(client), { text: t('push.test.sent') })}>
            {t('push.test')}
          </Button>
        </Line>
      )}
    </>
  )
}

function textOf(problem: unknown): string {
  return problem instanceof NoPushService
    ? t('push.failed.service')
    : t('push.failed.notStored', { reason: reasonOf(problem) })
}
