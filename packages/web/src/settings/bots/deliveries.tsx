import { t } from '../../platform/i18n.ts'
import { shortTime } from '../../platform/times.ts'
import { useSession } from '../../session/context.tsx'
import { Loaded, useLoaded } from '../../session/loading.tsx'
import { Button } from '../../ui/button.tsx'
import { Line, OnceButton } from '../controls.tsx'
import { save } from '../saving.ts'
import { triggerTexts } from './webhook-events.tsx'

const statusTexts = {
  waiting: 'bots.status.waiting',
  sending: 'bots.status.sending',
  delivered: 'bots.status.delivered',
  failed: 'bots.status.failed',
  cancelled: 'bots.status.cancelled',
} as const

/** The latest requests to the endpoint of a bot. */
export function Deliveries({ botId }: { botId: number }) {
  const { client } = useSession()
  const path = { bot_id: botId }
  const deliveries = useLoaded(() => client.call('getDeliveries', { path }).then((answer) => answer.deliveries), botId)
  const replay = (id: number) =>
    save(() => client.call('replayDelivery', { path: { ...path, delivery_id: id } }), {
      text: t('bots.sentAgain'),
    }).then(deliveries.reload)
  return (
    <>
      <Line label={t('bots.deliveries')} detail={t('bots.deliveries.text')}>
        <Button look="outline" icon="refresh" onClick={deliveries.reload}>
          {t('common.refresh')}
        </Button>
      </Line>
      <Loaded of={deliveries}>
        {(list) =>
          list.length === 0 ? (
            <p className="none-yet">{t('bots.noDeliveries')}</p>
          ) : (
            list.map(({ id, trigger, status, attempts, created_at, response_status, duration_ms, error }) => (
              <Line
                key={id}
                label={t(statusTexts[status])}
                detail={[
                  shortTime(created_at),
                  t(triggerTexts[trigger]),
                  response_status !== null && `HTTP ${response_status}`,
                  duration_ms !== null && `${duration_ms} ms`,
                  attempts > 1 && t('common.attempts', { count: attempts }),
                  error,
                ]
                  .filter(Boolean)
                  .join(' · ')}
              >
                {(status === 'failed' || status === 'delivered') && (
                  <OnceButton onPress={() => replay(id)}>{t('bots.sendAgain')}</OnceButton>
                )}
              </Line>
            ))
          )
        }
      </Loaded>
    </>
  )
}
