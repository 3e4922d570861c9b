import { useEffect } from 'react'
import { nameOf } from '../people/presence.ts'
import { type PlainId, t } from '../platform/i18n.ts'
import { exactTime } from '../platform/times.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { Loaded, useLoaded } from '../session/loading.tsx'
import { ConfirmButton } from '../settings/confirm.tsx'
import { Card, Line, OnceButton } from '../settings/controls.tsx'
import { save } from '../settings/saving.ts'

export function ExportsPage() {
  const session = useSession()
  const { client } = session
  const store = useSlices('users')
  const exports = useLoaded(() => client.call('getExports').then((answer) => answer.exports))
  const consents = useLoaded(() => client.call('getExportConsents').then((answer) => answer.export_consents))
  const { reload } = exports
  useEffect(() => session.onEvent(({ type }) => type === 'realm_export' && reload()), [session, reload])
  const start = (export_type: 1 | 2) =>
    save(() => client.call('exportRealm', { export_type }), { text: t('exports.started') }).then(reload)
  const agreed = consents.value?.filter(({ consented }) => consented).length
  return (
    <>
      <Card title={t('exports.new')} text={t('exports.new.text')}>
        <Line label={t('exports.public')} detail={t('exports.public.text')}>
          <OnceButton onPress={() => start(1)}>{t('exports.export')}</OnceButton>
        </Line>
        <Line
          label={t('exports.private')}
          detail={agreed === undefined ? undefined : t('exports.agreed', { agreed, count: consents.value!.length })}
        >
          <OnceButton onPress={() => start(2)}>{t('exports.export')}</OnceButton>
        </Line>
      </Card>
      <Card title={t('exports.title')}>
        <Loaded of={exports}>
          {(list) =>
            list.length === 0 ? (
              <p className="none-yet">{t('exports.none')}</p>
            ) : (
              [...list].reverse().map((one) => (
                <Line
                  key={one.id}
                  label={`${t(one.export_type === 1 ? 'exports.public' : 'exports.withPrivate')} · ${t(stateOf(one))}`}
                  detail={`${exactTime(one.export_time)} · ${nameOf(store, one.acting_user_id)}`}
                >
                  {one.export_url && (
                    <>
                      <a className="btn outline" href={one.export_url} download>
                        {t('exports.download')}
                      </a>
                      <ConfirmButton
                        label={t('common.delete')}
                        question={t('exports.deleteQuestion')}
                        explanation={t('exports.deleteText')}
                        onConfirm={() =>
                          void save(() => client.call('deleteExport', { path: { export_id: one.id } }), {
                            text: t('common.deleted'),
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

function stateOf({ pending, failed_timestamp, deleted_timestamp }: ExportState): PlainId {
  if (pending) return 'exports.state.pending'
  if (failed_timestamp !== null) return 'exports.state.failed'
  return deleted_timestamp !== null ? 'exports.state.deleted' : 'exports.state.ready'
}
