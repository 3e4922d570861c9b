import type { HookRequestObject } from '@parley/api/delivery/hooks'
import { useEffect } from 'react'
import { type PlainId, t } from '../../platform/i18n.ts'
import { exactTime } from '../../platform/times.ts'
import { useSession } from '../../session/context.tsx'
import { Loaded, useLoaded } from '../../session/loading.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Line, OnceButton } from '../controls.tsx'
import { save } from '../saving.ts'

export const outcomeTexts = {
  sent: 'hooks.outcome.sent',
  updated: 'hooks.outcome.updated',
  counted: 'hooks.outcome.counted',
  collapsed: 'hooks.outcome.collapsed',
  ignored: 'hooks.outcome.ignored',
  unsupported: 'hooks.outcome.unsupported',
  malformed: 'hooks.outcome.malformed',
  refused: 'hooks.outcome.refused',
  repeated: 'hooks.outcome.repeated',
  undeliverable: 'hooks.outcome.undeliverable',
  failed: 'hooks.outcome.failed',
} as const satisfies Record<HookRequestObject['outcome'], PlainId>

const pollMilliseconds = 2000

/** What arrived, newest first. The server announces no requests, so this asks while it is open. */
export function RequestLog({ hookId, onTemplate }: { hookId: number; onTemplate: (payload: string) => void }) {
  const { client } = useSession()
  const path = { hook_id: hookId }
  const requests = useLoaded(() => client.call('getHookRequests', { path }).then((answer) => answer.requests))
  const { reload } = requests
  useEffect(() => {
    const timer = setInterval(() => document.hidden || reload(), pollMilliseconds)
    return () => clearInterval(timer)
  }, [reload])
  const replay = (request_id: number) =>
    save(() => client.call('replayHookRequest', { path: { ...path, request_id } }), { text: t('hooks.replayed') }).then(
      reload,
    )
  return (
    <Card title={t('hooks.log')} text={t('hooks.log.text')}>
      <div role="status">
        <Loaded of={requests}>
          {(list) =>
            list.length === 0 ? (
              <p className="none-yet hook-waiting">{t('hooks.waiting')}</p>
            ) : (
              list.map((one) => <Entry key={one.id} request={one} onReplay={replay} onTemplate={onTemplate} />)
            )
          }
        </Loaded>
      </div>
    </Card>
  )
}

interface EntryProps {
  request: HookRequestObject
  onReplay: (id: number) => Promise<unknown>
  onTemplate: (payload: string) => void
}

function Entry({ request, onReplay, onTemplate }: EntryProps) {
  const { id, received_at, event, outcome, error, body, is_complete } = request
  return (
    <>
      <Line
        label={t(outcomeTexts[outcome])}
        detail={[exactTime(received_at), event, error].filter(Boolean).join(' · ')}
      >
        {body !== null && (
          <Button look="outline" onClick={() => onTemplate(body)}>
            {t('hooks.makeTemplate')}
          </Button>
        )}
        <OnceButton look="outline" disabled={!is_complete} onPress={() => onReplay(id)}>
          {t('hooks.replay')}
        </OnceButton>
      </Line>
      {body !== null && (
        <details className="hook-body">
          <summary>{t('hooks.showBody')}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it. */}
          <pre tabIndex={0}>{body}</pre>
        </details>
      )}
    </>
  )
}
