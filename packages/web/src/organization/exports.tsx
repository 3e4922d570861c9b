import { useEffect } from 'react'
import { nameOf } from '../people/presence.ts'
import { exactTime } from '../platform/times.ts'
import { useSession, useStore } from '../session/context.tsx'
import { Card, ConfirmButton, Line } from '../settings/controls.tsx'
import { Loaded, useLoaded } from '../settings/loading.tsx'
import { save } from '../settings/saving.ts'
import { Button } from '../ui/button.tsx'

export function ExportsPage() {
  const session = useSession()
  const { client } = session
  const store = useStore()
  const exports = useLoaded(() => client.call('getExports').then((answer) => answer.exports))
  const consents = useLoaded(() => client.call('getExportConsents').then((answer) => answer.export_consents))
  const { reload } = exports
  useEffect(() => session.onEvent(({ type }) => type === 'realm_export' && reload()), [session, reload])
  const start = (export_type: 1 | 2) =>
    save(() => client.call('exportRealm', { export_type }), { text: 'The export was started' }).then(reload)
  const agreed = consents.value?.filter(({ consented }) => consented).length
  return (
    <>
      <Card title="New export" text="An archive in the format of Zulip. It takes a few minutes.">
        <Line label="Public data" detail="Public channels, people and settings">
          <Button look="outline" onClick={() => void start(1)}>
            Export
          </Button>
        </Line>
        <Line
          label="Also private data of those who agreed"
          detail={agreed === undefined ? undefined : `${agreed} of ${consents.value!.length} people agreed`}
        >
          <Button look="outline" onClick={() => void start(2)}>
            Export
          </Button>
        </Line>
      </Card>
      <Card title="Exports">
        <Loaded of={exports}>
          {(list) =>
            list.length === 0 ? (
              <p className="none-yet">Nothing was exported yet.</p>
            ) : (
              [...list].reverse().map((one) => (
                <Line
                  key={one.id}
                  label={`${one.export_type === 1 ? 'Public data' : 'With private data'} · ${stateOf(one)}`}
                  detail={`${exactTime(one.export_time)} · ${nameOf(store, one.acting_user_id)}`}
                >
                  {one.export_url && (
                    <>
                      <a className="btn outline" href={one.export_url} download>
                        Download
                      </a>
                      <ConfirmButton
                        label="Delete"
                        question="Delete this export?"
                        explanation="The archive can no longer be downloaded."
                        onConfirm={() =>
                          void save(() => client.call('deleteExport', { path: { export_id: one.id } }), {
                            text: 'Deleted',
                          }).then(reload)
                        }
                      />
                    </>
                  )}
                </Line>
              ))
            )
          }
        </Loaded>
      </Card>
    </>
  )
}

interface ExportState {
  pending: boolean
  failed_timestamp: number | null
  deleted_timestamp: number | null
}

function stateOf({ pending, failed_timestamp, deleted_timestamp }: ExportState): string {
  if (pending) return 'in progress'
  if (failed_timestamp !== null) return 'failed'
  return deleted_timestamp !== null ? 'deleted' : 'ready'
}
