import { useState } from 'react'
import { t } from '../platform/i18n.ts'
import { longTime } from '../platform/times.ts'
import { act } from '../session/act.ts'
import { useSession } from '../session/context.tsx'
import { useLoaded } from '../session/loading.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'

/** Says that emails to the viewer come back. Asked once, after the start. */
export function EmailBar() {
  const { client, viewerId } = useSession()
  const [isDone, setDone] = useState(false)
  const health = useLoaded(() => client.call('getNotificationHealth', { path: { user_id: viewerId } }))
  const dead = health.value?.email
  if (!dead || isDone) return null
  const retry = async () => {
    await act(client.call('retryEmail'), t('bounce.retried'))
    setDone(true)
  }
  return (
    <section className="notify-bar" role="alert" aria-label={t('bounce.title')}>
      <Icon name="mail" size="s" />
      <span>
        {t('bounce.bar', { email: dead.email, time: longTime(dead.since), detail: dead.detail || dead.status })}
      </span>
      <Button look="outline" onClick={() => void retry()}>
        {t('common.tryAgain')}
      </Button>
      <a className="btn" href="#settings/account">
        {t('bounce.other')}
      </a>
    </section>
  )
}
