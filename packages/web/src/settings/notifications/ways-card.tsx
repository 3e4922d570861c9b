import { useState } from 'react'
import { showNotification } from '../../notify/desktop.ts'
import { askPermission } from '../../notify/permission.ts'
import { readPushState, sendTestPush } from '../../notify/push.ts'
import { playSound } from '../../notify/sounds.ts'
import { number, type PlainId, t } from '../../platform/i18n.ts'
import { useSession, useSlices } from '../../session/context.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Card, OnceButton } from '../controls.tsx'
import { reasonOf } from '../saving.ts'
import { useOwnSettings } from '../use-settings.ts'
import { permissionTexts, stateTexts } from './outcome-texts.ts'

/** Good: it works. Open: the user has to look or listen. */
interface Outcome {
  look: 'good' | 'bad' | 'open'
  text: string
}

type Way = 'desktop' | 'sound' | 'push' | 'email'

const ways: readonly { way: Way; icon: IconName; label: PlainId }[] = [
  { way: 'desktop', icon: 'monitor-smartphone', label: 'notices.desktop' },
  { way: 'sound', icon: 'bell-ring', label: 'notices.sound' },
  { way: 'push', icon: 'smartphone', label: 'notify.trail.push' },
  { way: 'email', icon: 'mail', label: 'people.email' },
]

/** Goes through every way in which the viewer can be notified, and says in words which one works. */
export function WaysCard() {
  const tests = useTests()
  const [outcomes, setOutcomes] = useState<Partial<Record<Way, Outcome>>>({})
  const run = async (way: Way) => {
    setOutcomes((known) => ({ ...known, [way]: { look: 'open', text: t('try.sending') } }))
    const outcome = await tests[way]().catch((error: unknown) => bad(reasonOf(error)))
    setOutcomes((known) => ({ ...known, [way]: outcome }))
  }
  const all = async () => {
    for (const { way } of ways) await run(way)
  }
  return (
    <Card
      title={t('try.title')}
      action={
        <Button look="primary" onClick={() => void all()}>
          {t('try.all')}
        </Button>
      }
    >
      {ways.map(({ way, icon, label }) => (
        <div key={way} className="way">
          <span className="kind">
            <Icon name={icon} />
          </span>
          <span>
            <b>{t(label)}</b>
          </span>
          <span className={`outcome ${outcomes[way]?.look ?? ''}`} role="status">
            {outcomes[way] && (
              <>
                <Icon name={iconOf(outcomes[way])} size="s" />
                {outcomes[way].text}
              </>
            )}
          </span>
          <OnceButton onPress={() => run(way)} aria-label={t('try.one', { way: t(label) })}>
            {t('try.again')}
          </OnceButton>
        </div>
      ))}
    </Card>
  )
}

function iconOf({ look }: Outcome): IconName {
  return look === 'good' ? 'check' : look === 'bad' ? 'alert' : 'circle-question-mark'
}

const bad = (text: string): Outcome => ({ look: 'bad', text })
const open = (text: string): Outcome => ({ look: 'open', text })

function useTests(): Record<Way, () => Promise<Outcome>> {
  const { client, viewerId } = useSession()
  const { realm, settings, users } = useSlices('realm', 'users')
  const { get } = useOwnSettings()
  const organization = String(realm.settings.name ?? 'Parley')
  const health = () => client.call('getNotificationHealth', { path: { user_id: viewerId } })
  return {
    desktop: async () => {
      const permission = await askPermission()
      if (permission !== 'granted') return bad(t(permissionTexts[permission]))
      await showNotification({ title: organization, body: t('try.title'), hash: '#settings/notifications' })
      return open(t('try.shown'))
    },
    sound: async () => {
      if (get('notification_sound') === 'none') return bad(t('try.noSound'))
      playSound(get('notification_sound'))
      return open(t('try.played'))
    },
    push: async () => {
      const state = await readPushState(client)
      if (state !== 'on') return bad(t(state === 'off' ? 'try.pushOff' : stateTexts[state]))
      const start = performance.now()
      const arrival = arrived()
      await sendTestPush(client)
      if (await arrival)
        return { look: 'good', text: t('try.arrived', { seconds: number((performance.now() - start) / 1000) }) }
      const refused = (await health()).devices.find(({ failure }) => failure !== null)?.failure
      return bad(refused ? t('try.refused', { detail: refused }) : t('try.notArrived'))
    },
    email: async () => {
      if (settings.server_sends_email_notifications === false) return bad(t('notices.noEmail'))
      const { email } = await health()
      if (email) return bad(t('try.emailBack', { email: email.email, detail: email.detail }))
      await client.call('sendTestEmail')
      return open(t('try.emailSent', { email: users.byId.get(viewerId)?.delivery_email ?? '' }))
    },
  }
}

const patienceMilliseconds = 20_000

/** Whether the service worker says in time that the test has arrived. */
function arrived(): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (has: boolean) => {
      navigator.serviceWorker.removeEventListener('message', hear)
      clearTimeout(timer)
      resolve(has)
    }
    const hear = ({ data }: MessageEvent) => (data as { hasArrived?: boolean } | null)?.hasArrived && end(true)
    const timer = setTimeout(end, patienceMilliseconds, false)
    navigator.serviceWorker.addEventListener('message', hear)
  })
}
