import { nameOf } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { exactTime } from '../platform/times.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { Loaded, useLoaded } from '../session/loading.tsx'
import { Card, Line } from '../settings/controls.tsx'

/** People whose emails come back, so that they get none about messages. */
export function DeadEmailsCard() {
  const { client } = useSession()
  const store = useSlices('users')
  const users = useLoaded(() => client.call('getDeadEmails').then((answer) => answer.users))
  return (
    <Card title={t('bounce.title')} text={t('bounce.list.text')}>
      <Loaded of={users}>
        {(list) =>
          list.length === 0 ? (
            <p className="none-yet">{t('bounce.list.none')}</p>
          ) : (
            list.map(({ user_id, since, status, detail }) => (
              <Line
                key={user_id}
                label={nameOf(store, user_id)}
                detail={[exactTime(since), detail || status].join(' · ')}
              />
            ))
          )
        }
      </Loaded>
    </Card>
  )
}
