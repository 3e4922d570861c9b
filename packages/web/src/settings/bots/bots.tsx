import { botTypes } from '@parley/api/kinds'
import { nameLimits } from '@parley/api/limits'
import { useState } from 'react'
import { t } from '../../platform/i18n.ts'
import { useSession, useSlices } from '../../session/context.tsx'
import { showToast } from '../../ui/toast.tsx'
import { OwnPassword } from '../account/own-password.tsx'
import { named, Select } from '../choices.tsx'
import { useConfirmation } from '../confirmation.tsx'
import { Card, Copyable } from '../controls.tsx'
import { Field, Form } from '../fields.tsx'
import { reasonOf } from '../saving.ts'
import { BotList } from './bot-list.tsx'

export function BotsPage() {
  const store = useSlices('bots')
  const { viewerId } = useSession()
  const own = [...store.bots.byId.values()].filter(({ owner_id }) => owner_id === viewerId)
  return (
    <>
      <Card title={t('bots.yours')} text={t('bots.yours.text')}>
        <BotList bots={own} />
      </Card>
      <NewBot />
      <ApiKeyCard />
    </>
  )
}

const types = [
  [botTypes.generic, 'bots.kind.generic'],
  [botTypes.incomingWebhook, 'bots.kind.incoming'],
  [botTypes.outgoingWebhook, 'bots.kind.outgoing'],
] as const

function NewBot() {
  const { client } = useSession()
  const store = useSlices()
  const [type, setType] = useState<(typeof types)[number][0]>(botTypes.generic)
  const [created, setCreated] = useState({ name: '', key: '' })
  const { confirm, dialog } = useConfirmation()
  const create = async (values: FormData) => {
    const text = (name: string) => String(values.get(name) ?? '').trim()
    try {
      const full_name = text('full_name')
      const params = { full_name, short_name: text('short_name'), bot_type: type }
      const url = type === botTypes.outgoingWebhook && { payload_url: text('payload_url') }
      const { api_key } = await confirm((password) => client.call('createBot', { ...params, ...url, password }))
      setCreated({ name: full_name, key: api_key })
    } catch (error) {
      return reasonOf(error)
    }
    showToast({ text: t('bots.created') })
  }
  return (
    <Card title={t('bots.new')}>
      {dialog}
      {created.key && (
        <div className="note" role="status">
          <b>{t('bots.created')}</b>
          <Copyable label={t('bots.apiKeyOf', { name: created.name })} text={created.key} />
        </div>
      )}
      <Form button={t('bots.createBot')} onSend={create}>
        <div className="form-row">
          <Field label={t('common.name')}>
            {(id) => <input id={id} name="full_name" required maxLength={nameLimits.user} className="text-input" />}
          </Field>
          <Field label={t('bots.username')} hint={`-bot@${String(store.settings.realm_bot_domain ?? '')}`}>
            {(id) => <input id={id} name="short_name" required pattern="[A-Za-z0-9_.\-]+" className="text-input" />}
          </Field>
        </div>
        <div className="form-field">
          <span>{t('common.kind')}</span>
          <Select label={t('bots.kindOfBot')} value={type} choices={named(types)} onChange={setType} />
        </div>
        {type === botTypes.outgoingWebhook && (
          <Field label={t('bots.payloadUrl')}>
            {(id) => (
              <input id={id} name="payload_url" type="url" required className="text-input" placeholder="https://" />
            )}
          </Field>
        )}
      </Form>
    </Card>
  )
}

function ApiKeyCard() {
  const { client } = useSession()
  const [key, setKey] = useState('')
  const renew = async (values: FormData) => {
    try {
      const { api_key } = await client.call('regenerateApiKey', { password: String(values.get('password')) })
      setKey(api_key)
    } catch (error) {
      return reasonOf(error)
    }
  }
  return (
    <Card title={t('apiKey.title')} text={t('apiKey.text')}>
      {key && (
        <div className="note" role="status">
          <b>{t('apiKey.copyNow')}</b>
          <Copyable label={t('apiKey.new')} text={key} />
        </div>
      )}
      <Form button={t('apiKey.generate')} onSend={renew}>
        <p>{t('apiKey.new.text')}</p>
        <OwnPassword />
      </Form>
    </Card>
  )
}
