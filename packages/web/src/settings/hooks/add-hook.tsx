import type { IntegrationObject } from '@parley/api/delivery/hooks'
import { nameLimits } from '@parley/api/limits'
import { useState } from 'react'
import { t } from '../../platform/i18n.ts'
import { goTo } from '../../platform/routing.ts'
import { useSession, useSlices } from '../../session/context.tsx'
import { Select } from '../choices.tsx'
import { Card } from '../controls.tsx'
import { Field, Form } from '../fields.tsx'
import { reasonOf } from '../saving.ts'

/** A new hook: where it posts, and which events. */
export function AddHook({ integration }: { integration: IntegrationObject }) {
  const { client } = useSession()
  const store = useSlices('channels')
  const channels = [...store.channels.subscribed.values()]
    .filter(({ is_archived }) => !is_archived)
    .sort((a, b) => a.name.localeCompare(b.name))
  const [channelId, setChannelId] = useState<number | null>(channels[0]?.stream_id ?? null)
  const choices = [
    ...channels.map(({ stream_id, name }) => [stream_id, `#${name}`] as const),
    [null, t('hooks.toMe')] as const,
  ]
  const create = async (values: FormData) => {
    const text = (name: string) => String(values.get(name) ?? '').trim()
    const chosen = values.getAll('event').map(String)
    const isAll = chosen.length === integration.events.length
    try {
      const { id } = await client.call('createHook', {
        integration: integration.name,
        name: text('name'),
        ...(channelId !== null && { channel_id: channelId }),
        ...(text('topic') && { topic: text('topic') }),
        ...(text('secret') && { secret: text('secret') }),
        ...(!isAll && { only_events: chosen }),
      })
      goTo(`#settings/integrations/${id}`)
    } catch (error) {
      return reasonOf(error)
    }
  }
  return (
    <Card title={integration.title} text={integration.summary}>
      <Form button={t('hooks.create')} onSend={create}>
        <div className="form-row">
          <Field label={t('common.name')} hint={t('hooks.name.hint')}>
            {(id) => (
              <input
                id={id}
                name="name"
                className="text-input"
                maxLength={nameLimits.user}
                defaultValue={integration.title}
                required
              />
            )}
          </Field>
          <div className="form-field">
            <span>{t('hooks.channel')}</span>
            <Select label={t('hooks.channel')} value={channelId} choices={choices} onChange={setChannelId} />
          </div>
        </div>
        <Field label={t('hooks.topic')} hint={t('hooks.topic.hint')}>
          {(id) => <input id={id} name="topic" className="text-input" />}
        </Field>
        {integration.is_signed && (
          <Field label={t('hooks.secret')} hint={t('hooks.secret.hint')}>
            {(id) => <input id={id} name="secret" className="text-input" autoComplete="off" />}
          </Field>
        )}
        {integration.events.length > 1 && (
          <fieldset className="check-grid">
            <legend>{t('hooks.events')}</legend>
            {integration.events.map(({ name, title }) => (
              <label key={name}>
                <input type="checkbox" name="event" value={name} defaultChecked />
                {title}
              </label>
            ))}
          </fieldset>
        )}
      </Form>
    </Card>
  )
}
