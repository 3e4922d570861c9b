import { t } from '../platform/i18n.ts'
import { useSession } from '../session/context.tsx'
import { Button } from '../ui/button.tsx'
import { save } from './saving.ts'

export function JoinButton({ name, isSubscribed }: { name: string; isSubscribed: boolean }) {
  const { client } = useSession()
  const join = () => client.call('subscribe', { subscriptions: [{ name }] })
  const leave = () => client.call('unsubscribe', { subscriptions: [name] })
  return isSubscribed ? (
    <Button
      look="outline"
      aria-label={t('channel.leaveName', { name })}
      onClick={() => void save(leave, { undo: join, text: t('channel.left', { name }) })}
    >
      {t('channel.leave')}
    </Button>
  ) : (
    <Button
      look="primary"
      aria-label={t('channel.joinName', { name })}
      onClick={() => void save(join, { undo: leave, text: t('channel.joined', { name }) })}
    >
      {t('channel.join')}
    </Button>
  )
}
