import type { Destination } from '@parley/client/session/outbox'
import type { Typist } from '@parley/client/store/passing/typing'
import { nameOf } from '../../people/presence.ts'
import { errorText } from '../../platform/error-text.ts'
import { t } from '../../platform/i18n.ts'
import { useSession } from '../../session/context.tsx'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/toast.tsx'

/** Which bots and agents work here, and a button that asks each to stop. */
export function WorkingLines({ workers, destination }: { workers: readonly Typist[]; destination: Destination }) {
  const { client, store, mayAct } = useSession()
  const place = 'stream_id' in destination ? { stream_id: destination.stream_id, topic: destination.topic } : undefined
  const stop = (user_id: number, name: string) =>
    client.call('stopWork', { path: { user_id }, ...place } as never).then(
      () => showToast({ text: t('agent.stopAsked', { name }) }),
      (error: unknown) => showToast({ text: errorText(error), isError: true }),
    )
  return workers.map(({ id, note }) => {
    const name = nameOf(store!, id)
    return (
      <span key={id} className="working">
        {note === '' ? t('agent.working', { name }) : t('agent.workingOn', { name, note })}
        {mayAct && (
          <Button look="tiny" aria-label={t('agent.stop', { name })} onClick={() => void stop(id, name)}>
            {t('agent.stopShort')}
          </Button>
        )}
      </span>
    )
  })
}
