import { useState } from 'react'
import { useSession, useStore } from '../session/context.tsx'
import { showToast } from '../ui/toast.tsx'
import { BotList } from './bot-list.tsx'
import { Card, ConfirmButton, Copyable, Field, Form, Line, Select } from './controls.tsx'
import { reasonOf } from './saving.ts'

export function BotsPage() {
  const store = useStore()
  const { viewerId } = useSession()
  const own = [...store.bots.byId.values()].filter(({ owner_id }) => owner_id === viewerId)
  return (
    <>
      <Card title="Your bots" text="Programs that read and write with a key of their own.">
        <BotList bots={own} />
      </Card>
      <NewBot />
      <ApiKeyCard />
    </>
  )
}

const types = [
  [1, 'Generic: reads and writes by the API'],
  [2, 'Incoming webhook: may only send'],
  [3, 'Outgoing webhook: calls a URL when mentioned'],
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
    showToast({ text: 'The bot was created. Its key is under Manage.' })
  }
  return (
    <Card title="New bot">
      <Form button="Create bot" onSend={create}>
        <div className="form-row">
          <Field label="Name">
            {(id) => <input id={id} name="full_name" required maxLength={100} className="text-input" />}
          </Field>
          <Field label="Username" hint={`-bot@${String(store.settings.realm_bot_domain ?? '')}`}>
            {(id) => <input id={id} name="short_name" required pattern="[A-Za-z0-9_.\-]+" className="text-input" />}
          </Field>
        </div>
        <div className="form-field">
          <span>Kind</span>
          <Select label="Kind of bot" value={type} choices={types} onChange={setType} />
        </div>
        {type === 3 && (
          <Field label="URL that receives messages">
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
  const renew = () =>
    client.call('regenerateApiKey').then(
      (answer) => setKey(answer.api_key),
      (error) => showToast({ text: reasonOf(error), isError: true }),
    )
  return (
    <Card
      title="Your API key"
      text="It may do everything you may. Prefer a token, which can be limited and revoked alone."
    >
      {key && (
        <div className="note" role="status">
          <b>Copy the key now. It is not shown again.</b>
          <Copyable label="New API key" text={key} />
        </div>
      )}
      <Line label="New API key" detail="Programs that use the old one stop working">
        <ConfirmButton
          label="Generate"
          question="Generate a new API key?"
          explanation="The old key stops working immediately."
          onConfirm={() => void renew()}
        />
      </Line>
    </Card>
  )
}
