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
      aria-label={`Leave ${name}`}
      onClick={() => void save(leave, { undo: join, text: `You left #${name}` })}
    >
      Leave
    </Button>
  ) : (
    <Button
      look="primary"
      aria-label={`Join ${name}`}
      onClick={() => void save(join, { undo: leave, text: `You joined #${name}` })}
    >
      Join
    </Button>
  )
}
