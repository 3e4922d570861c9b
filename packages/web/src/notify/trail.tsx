import { lookup } from '@parley/api/lookup'
import type { CallResponse } from '@parley/client/wire/calls'
import { type PlainId, t } from '../platform/i18n.ts'
import { exactTime } from '../platform/times.ts'
import { useSession } from '../session/context.tsx'
import { Loaded, useLoaded } from '../session/loading.tsx'
import { Icon } from '../ui/icon.tsx'
import './notify.css'
import { reasons } from './reasons.ts'

type Entry = CallResponse<'getMessageNotifications'>['notifications'][number]

const trailReasons: Record<string, PlainId> = {
  ...reasons,
  read: 'notify.trail.reason.read',
  gone: 'notify.trail.reason.gone',
  expired: 'notify.trail.reason.expired',
  unreachable: 'notify.trail.reason.unreachable',
  earlier: 'notify.trail.reason.earlier',
  burst: 'notify.trail.reason.burst',
  bouncing: 'notify.trail.reason.bouncing',
}

const waits: Record<string, PlainId> = {
  active: 'notify.trail.active',
  batching: 'notify.trail.batching',
  quiet: 'notify.trail.quiet',
  burst: 'notify.trail.burst',
  retry: 'notify.trail.retry',
}

const outcomes = {
  sent: 'notify.trail.sent',
  dropped: 'notify.trail.dropped',
  removed: 'notify.trail.removed',
} satisfies Record<string, PlainId>

/** What became of the pushes and emails about a message, as the server knows it. */
export function Trail({ messageId }: { messageId: number }) {
  const { client } = useSession()
  const path = { message_id: messageId }
  const entries = useLoaded(
    () => client.call('getMessageNotifications', { path }).then((answer) => answer.notifications),
    messageId,
  )
  return (
    <section className="notify-trail" aria-labelledby="notify-trail">
      <h3 id="notify-trail">{t('notify.trail.title')}</h3>
      <Loaded of={entries}>
        {(list) =>
          list.length === 0 ? (
            <p className="quiet">{t('notify.trail.none')}</p>
          ) : (
            <ol>
              {list.map((entry) => (
                <Line key={`${entry.way} ${entry.device_id} ${entry.outcome}`} entry={entry} />
              ))}
            </ol>
          )
        }
      </Loaded>
    </section>
  )
}

function Line({ entry }: { entry: Entry }) {
  const { way, outcome, reason, at } = entry
  const why = outcome === 'sent' || outcome === 'dropped' ? lookup(trailReasons, reason ?? '') : undefined
  return (
    <li>
      <Icon name={way === 'email' ? 'mail' : 'smartphone'} />
      <span>
        <b>{t(way === 'email' ? 'people.email' : 'notify.trail.push')}</b> {outcomeText(entry)}
        <span className="d">
          {why && t(why)} {entry.detail === 'setting' && t('notify.why.settings')}
        </span>
      </span>
      <time className="quiet">{exactTime(at)}</time>
    </li>
  )
}

function outcomeText({ outcome, reason, detail }: Entry): string {
  if (outcome === 'waits') return t(lookup(waits, reason ?? '') ?? 'notify.trail.now')
  if (outcome === 'failed') return t('notify.trail.failed', { detail: detail ?? '' })
  return t(outcomes[outcome])
}
