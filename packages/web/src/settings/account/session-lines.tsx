import type { CallResponse } from '@parley/client/wire/calls'
import { t } from '../../platform/i18n.ts'
import { shortTime } from '../../platform/times.ts'
import { Loaded, type Loading } from '../../session/loading.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Line } from '../controls.tsx'

export type ListedSession = CallResponse<'getSessions'>['sessions'][number]

interface SessionLinesProps {
  sessions: Loading<ListedSession[]>
  onEnd: (id: number) => void
}

/** The browsers in which a user is signed in. */
export function SessionLines({ sessions, onEnd }: SessionLinesProps) {
  return (
    <Loaded of={sessions}>
      {(list) =>
        list.map((session) => (
          <Line
            key={session.id}
            start={<Icon name="monitor-smartphone" />}
            label={session.device}
            detail={detailOf(session)}
          >
            {session.is_current ? (
              <span className="tag">{t('sessions.current')}</span>
            ) : (
              <Button look="outline" onClick={() => onEnd(session.id)}>
                {t('account.signOut')}
              </Button>
            )}
          </Line>
        ))
      }
    </Loaded>
  )
}

function detailOf({ is_current, last_used_at, ip_address, created_at }: ListedSession): string {
  const used = is_current ? t('sessions.thisDevice') : t('sessions.lastUsed', { time: shortTime(last_used_at) })
  return [used, ip_address, t('sessions.since', { time: shortTime(created_at) })].join(' · ')
}
