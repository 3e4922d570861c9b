import { serverLimits, textLimits } from '@parley/api/limits'
import type { CallParams, CallResponse } from '@parley/client/wire/calls'
import { t } from '../platform/i18n.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { Loaded, useLoaded } from '../session/loading.tsx'
import { Card, Line, OnceButton } from '../settings/controls.tsx'
import { Field, Form, TextLine } from '../settings/fields.tsx'
import { save, saveForm } from '../settings/saving.ts'

type ServerSettings = CallResponse<'getOwnServer'>

interface ServerProps {
  server: ServerSettings
  change: (changed: CallParams<'updateOwnServer'>) => Promise<unknown>
}

/** What concerns the whole server. Owners change it where theirs is the only organization. */
export function ServerPage() {
  const { client } = useSession()
  const server = useLoaded(() => client.call('getOwnServer'))
  const change = (changed: CallParams<'updateOwnServer'>) => client.call('updateOwnServer', changed).then(server.reload)
  return (
    <Loaded of={server}>
      {(settings) => (
        <>
          {!settings.may_change && <p className="none-yet">{t('server.shared')}</p>}
          <MaintenanceCard server={settings} change={change} />
          <LimitCard server={settings} change={change} />
          <ReachCard server={settings} />
        </>
      )}
    </Loaded>
  )
}

function MaintenanceCard({ server: { maintenance, may_change }, change }: ServerProps) {
  const begin = (values: FormData) =>
    saveForm(() => change({ maintenance: String(values.get('text')) }), t('server.maintenance.begun'))
  const end = () => save(() => change({ maintenance: null }), { text: t('server.maintenance.ended') })
  return (
    <Card title={t('server.maintenance')} text={t('server.maintenance.text')}>
      {maintenance !== null ? (
        <Line label={t('server.maintenance.on')} detail={maintenance}>
          {may_change && <OnceButton onPress={end}>{t('server.maintenance.end')}</OnceButton>}
        </Line>
      ) : may_change ? (
        <Form button={t('server.maintenance.begin')} onSend={begin}>
          <Field label={t('server.maintenance.what')} hint={t('server.maintenance.hint')}>
            {(id) => <input id={id} name="text" required className="text-input" maxLength={textLimits.maintenance} />}
          </Field>
        </Form>
      ) : (
        <p className="none-yet">{t('server.maintenance.none')}</p>
      )}
    </Card>
  )
}

function LimitCard({ server: { rate_limit, default_rate_limit, may_change }, change }: ServerProps) {
  const set = (limit: number | null) =>
    save(() => change({ rate_limit: limit }), { undo: () => change({ rate_limit }) })
  return (
    <Card title={t('server.limit')}>
      <TextLine
        label={t('server.limit.perMinute')}
        detail={t('server.limit.text', { limit: default_rate_limit })}
        type="number"
        min={0}
        max={serverLimits.requestsPerMinute}
        isDisabled={!may_change}
        value={String(rate_limit ?? default_rate_limit)}
        onSave={(text) => set(text === '' ? null : Number(text))}
      />
      {may_change && rate_limit !== null && (
        <Line label={t('server.limit.own')}>
          <OnceButton onPress={() => set(null)}>{t('server.limit.reset')}</OnceButton>
        </Line>
      )}
    </Card>
  )
}

/** How people and emails reach the organization, and whether emails leave. */
function ReachCard({ server: { host, sends_email } }: { server: ServerSettings }) {
  const { client, viewerId } = useSession()
  const { users } = useSlices('users')
  const email = users.byId.get(viewerId)?.delivery_email ?? ''
  const test = () => save(() => client.call('sendTestEmail'), { text: t('try.emailSent', { email }) })
  return (
    <Card title={t('server.reach')}>
      <Line label={t('server.host')} detail={host ?? t('server.host.every')} />
      <Line label={t('server.email')} detail={sends_email ? t('server.email.on') : t('server.email.off')}>
        {sends_email && <OnceButton onPress={test}>{t('server.email.test')}</OnceButton>}
      </Line>
      <p className="none-yet">{t('server.operator')}</p>
    </Card>
  )
}
