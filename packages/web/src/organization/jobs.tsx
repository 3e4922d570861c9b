import { t } from '../platform/i18n.ts'
import { exactTime } from '../platform/times.ts'
import { useSession } from '../session/context.tsx'
import { Loaded, useLoaded } from '../session/loading.tsx'
import { ConfirmButton } from '../settings/confirm.tsx'
import { Card, Line, OnceButton } from '../settings/controls.tsx'
import { save } from '../settings/saving.ts'
import { Button } from '../ui/button.tsx'
import { DeadEmailsCard } from './dead-emails.tsx'

export function JobsPage() {
  const { client } = useSession()
  const jobs = useLoaded(() => client.call('getFailedJobs').then((answer) => answer.jobs))
  const retry = (id: number) =>
    save(() => client.call('retryFailedJob', { path: { job_id: id } }), { text: t('jobs.retried') }).then(jobs.reload)
  const remove = (id: number) =>
    save(() => client.call('removeFailedJob', { path: { job_id: id } }), { text: t('common.deleted') }).then(
      jobs.reload,
    )
  return (
    <>
      <Card
        title={t('jobs.title')}
        text={t('jobs.text')}
        action={
          <Button look="outline" icon="refresh" onClick={jobs.reload}>
            {t('common.refresh')}
          </Button>
        }
      >
        <Loaded of={jobs}>
          {(list) =>
            list.length === 0 ? (
              <p className="none-yet">{t('jobs.none')}</p>
            ) : (
              list.map(({ id, task, attempts, created_at, error }) => (
                <Line
                  key={id}
                  label={task}
                  detail={[exactTime(created_at), t('common.attempts', { count: attempts }), error].join(' · ')}
                >
                  <OnceButton onPress={() => retry(id)}>{t('common.retry')}</OnceButton>
                  <ConfirmButton
                    label={t('common.delete')}
                    question={t('jobs.deleteQuestion')}
                    explanation={t('jobs.deleteText')}
                    onConfirm={() => void remove(id)}
                  />
                </Line>
              ))
            )
          }
        </Loaded>
      </Card>
      <DeadEmailsCard />
    </>
  )
}
