import { useState } from 'react'
import { t } from '../platform/i18n.ts'
import { useSession, useStore } from '../session/context.tsx'
import { showToast } from '../ui/toast.tsx'
import { BotList } from './bot-list.tsx'
import { Card, Copyable, Field, Form, named, Select } from './controls.tsx'
import { OwnPassword } from './own-password.tsx'
import { reasonOf } from './saving.ts'

export function BotsPage() {
  const store = useStore()
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
  [1, 'bots.kind.generic'],
  [2, 'bots.kind.incoming'],
  [3, 'bots.kind.outgoing'],
] as const

function NewBot() {
  const { client } = useSession()
  const store = useStore()
  const [type, setType] = useState<1 | 2 | 3>(1)
  const create = async (values: FormData) => {
    const text = (name: string) => String(values.get(name) ?? '').trim()
    try {
      await client.call('createBot', {
        full_name: text('full_name'),
        short_name: text('short_name'),
        bot_type: type,
        ...(type === 3 && { payload_url: text('payload_url') }),
      })
    } catch (error) {
      return reasonOf(error)
    }
    showToast({ text: t('bots.created') })
  }
  return (
    <Card title={t('bots.new')}>
      <Form button={t('bots.createBot')} onSend={create}>
        <div className="form-row">
          <Field label={t('common.name')}>
            {(id) => <input id={id} name="full_name" required maxLength={100} className="text-input" />}
          </Field>
          <Field label={t('bots.username')} hint={`-bot@${String(store.settings.realm_bot_domain ?? '')}`}>
            {(id) => <input id={id} name="short_name" required pattern="[A-Za-z0-9_.\-]+" className="text-input" />}
          </Field>
        </div>
        <div className="form-field">
          <span>{t('common.kind')}</span>
          <Select label={t('bots.kindOfBot')} value={type} choices={named(types)} onChange={setType} />
        </div>
        {type === 3 && (
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
