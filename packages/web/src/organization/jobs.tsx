import { exactTime } from '../platform/times.ts'
import { useSession } from '../session/context.tsx'
import { Card, ConfirmButton, Line } from '../settings/controls.tsx'
import { Loaded, useLoaded } from '../settings/loading.tsx'
import { save } from '../settings/saving.ts'
import { Button } from '../ui/button.tsx'

export function JobsPage() {
  const { client } = useSession()
  const jobs = useLoaded(() => client.call('getFailedJobs').then((answer) => answer.jobs))
  const retry = (id: number) =>
    save(() => client.call('retryFailedJob', { path: { job_id: id } }), { text: 'It is tried again' }).then(jobs.reload)
  const remove = (id: number) =>
    save(() => client.call('removeFailedJob', { path: { job_id: id } }), { text: 'Deleted' }).then(jobs.reload)
  return (
    <Card
      title="Failed jobs"
      text="Background work, such as mail or previews, that failed in all its attempts."
      action={
        <Button look="outline" icon="refresh" onClick={jobs.reload}>
          Refresh
        </Button>
      }
    >
      <Loaded of={jobs}>
        {(list) =>
          list.length === 0 ? (
            <p className="none-yet">Nothing failed. All background work is done.</p>
          ) : (
            list.map(({ id, task, attempts, created_at, error }) => (
              <Line key={id} label={task} detail={`${exactTime(created_at)} · ${attempts} attempts · ${error}`}>
                <Button look="outline" onClick={() => void retry(id)}>
                  Retry
                </Button>
                <ConfirmButton
                  label="Delete"
                  question="Delete this job?"
                  explanation="It never runs."
                  onConfirm={() => void remove(id)}
                />
              </Line>
            ))
          )
        }
      </Loaded>
    </Card>
  )
}
