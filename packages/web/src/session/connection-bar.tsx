import { useEffect, useState } from 'react'
import { t } from '../platform/i18n.ts'
import { clockTime } from '../platform/times.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useChanges, useSession } from './context.tsx'
import { useNewVersion } from './new-version.ts'

/** Says that the server cannot be reached and what waits for it, that it is in maintenance, or that what is shown may be outdated. */
export function ConnectionBar() {
  useChanges()
  const session = useSession()
  const { connection, offlineSince, outbox, isCurrent, store, abandoned } = session
  const isNewVersion = useNewVersion(session, connection === 'online')
  const isOffline = connection === 'offline' && offlineSince !== undefined
  return (
    <>
      {isOffline && (
        <div className="offline" role="status">
          <Icon name="wifi-off" size="s" />{' '}
          {t('app.offline', { time: clockTime(offlineSince.getTime() / 1000), count: outbox.size })}
        </div>
      )}
      {!isOffline && store && !isCurrent && <UpdatingBar />}
      {store?.maintenance.text && (
        <div className="offline" role="status">
          <Icon name="clock" size="s" /> {t('app.maintenance', { text: store.maintenance.text })}
        </div>
      )}
      {isNewVersion && (
        <div className="offline" role="status">
          {t('app.newVersion')}
          <Button look="outline" onClick={() => window.location.reload()}>
            {t('app.reload')}
          </Button>
        </div>
      )}
      {abandoned && abandoned.expired.length > 0 && <ExpiredBar />}
    </>
  )
}

const longUpdate = 1000

/** Usually an update ends before it is worth a word. */
function UpdatingBar() {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), longUpdate)
    return () => clearTimeout(timer)
  }, [])
  if (!isLong) return null
  return (
    <div className="offline" role="status">
      <Icon name="clock" size="s" /> {t('app.updating')}
    </div>
  )
}

/** Changes that waited for so long that they may be unwanted by now. */
function ExpiredBar() {
  const { abandoned } = useSession()
  return (
    <div className="offline" role="status">
      <Icon name="clock" size="s" /> {t('app.expired', { count: abandoned!.expired.length })}
      <Button look="outline" onClick={() => abandoned!.settle(true)}>
        {t('app.expiredSend')}
      </Button>
      <Button look="outline" onClick={() => abandoned!.settle(false)}>
        {t('app.expiredDiscard')}
      </Button>
    </div>
  )
}
