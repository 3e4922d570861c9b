import { t } from '../../platform/i18n.ts'
import { exactTime } from '../../platform/times.ts'
import { useSession } from '../../session/context.tsx'
import { Loaded, useLoaded } from '../../session/loading.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Card, Line } from '../controls.tsx'

/** The latest sign-ins to the viewer's account, and attempts that failed. */
export function SignInsCard() {
  const { client } = useSession()
  const signIns = useLoaded(() => client.call('getSignIns').then((answer) => answer.sign_ins))
  return (
    <Card title={t('signIns.title')} text={t('signIns.text')}>
      <Loaded of={signIns}>
        {(list) =>
          list.length === 0 ? (
            <p className="none-yet">{t('signIns.none')}</p>
          ) : (
            list.map(({ id, time, is_successful, ip_address, device }) => (
              <Line
                key={id}
                start={<Icon name={is_successful ? 'check' : 'x'} />}
                label={is_successful ? t('signIns.ok') : t('signIns.failed')}
                detail={[exactTime(time), device, ip_address].filter(Boolean).join(' · ')}
              />
            ))
          )
        }
      </Loaded>
    </Card>
  )
}
