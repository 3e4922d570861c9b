import { useState } from 'react'
import { nameOf } from '../people/presence.ts'
import { exactTime, shortTime } from '../platform/times.ts'
import { useSession, useStore } from '../session/context.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Card, ConfirmButton, Copyable, Field, Form, Line, Select } from './controls.tsx'
import { Loaded, useLoaded } from './loading.tsx'
import { expiryChoices, scopeTexts } from './model.ts'
import { reasonOf, save } from './saving.ts'

export function SessionsPage() {
  const { client } = useSession()
  const sessions = useLoaded(() => client.call('getSessions').then((answer) => answer.sessions))
  const tokens = useLoaded(() => client.call('getTokens').then((answer) => answer.tokens))
  const end = (id: number) =>
    save(() => client.call('endSession', { path: { session_id: id } }), { text: 'Signed out there' }).then(
      sessions.reload,
    )
  const endOthers = () =>
    save(() => client.call('endOtherSessions'), { text: 'Signed out everywhere else' }).then(() => {
      sessions.reload()
      tokens.reload()
    })
  return (
    <>
      <Card
        title="Where you are signed in"
        text="If you don't know a device, sign it out and change your password."
        action={
          <ConfirmButton
            label="Sign out everywhere else"
            question="Sign out everywhere else?"
            explanation="All other devices are signed out, all tokens stop working, and you get a new API key."
            onConfirm={() => void endOthers()}
          />
        }
      >
        <Loaded of={sessions}>
          {(list) =>
            list.map(({ id, device, is_current, last_used_at, ip_address, created_at }) => (
              <Line
                key={id}
                start={<Icon name="monitor-smartphone" />}
                label={device}
                detail={`${is_current ? 'This device' : `Last used ${shortTime(last_used_at)}`} · ${ip_address} · since ${shortTime(created_at)}`}
              >
                {is_current ? (
                  <span className="tag">Current</span>
                ) : (
                  <Button look="outline" onClick={() => void end(id)}>
                    Sign out
                  </Button>
                )}
              </Line>
            ))
          }
        </Loaded>
      </Card>
      <TokensCard tokens={tokens} />
    </>
  )
}

type Token = {
  id: number
  user_id: number
  name: string
  scopes: string[] | null
  created_at: number
  last_used_at: number | null
  expires_at: number | null
}

function TokensCard({ tokens }: { tokens: ReturnType<typeof useLoaded<Token[]>> }) {
  const { client, viewerId } = useSession()
  const store = useStore()
  const revoke = (id: number) =>
    save(() => client.call('revokeToken', { path: { token_id: id } }), { text: 'Revoked' }).then(tokens.reload)
  return (
    <Card title="Tokens" text="For scripts, devices and integrations. Each can be revoked without touching the others.">
      <Loaded of={tokens}>
        {(list) =>
          list.length === 0 ? (
            <p className="none-yet">No tokens yet. Create one for a script or a device.</p>
          ) : (
            list.map((token) => (
              <Line
                key={token.id}
                start={<Icon name="key-round" />}
                label={token.user_id === viewerId ? token.name : `${token.name} (${nameOf(store, token.user_id)})`}
                detail={describeToken(token)}
              >
                <ConfirmButton
                  label="Revoke"
                  question={`Revoke “${token.name}”?`}
                  explanation="What uses this token stops working immediately."
                  onConfirm={() => void revoke(token.id)}
                />
              </Line>
            ))
          )
        }
      </Loaded>
      <NewToken onCreated={tokens.reload} />
    </Card>
  )
}

function describeToken({ scopes, last_used_at, expires_at }: Token): string {
  const names =
    scopes === null ? 'Everything' : scopeTexts.filter(([one]) => scopes.includes(one)).map(([, text]) => text)
  const used = last_used_at === null ? 'never used' : `last used ${shortTime(last_used_at)}`
  const until = expires_at === null ? 'does not expire' : `expires ${exactTime(expires_at)}`
  return `${[names].flat().join(', ')} · ${used} · ${until}`
}

/** The secret is shown once, after the token was created. */
function NewToken({ onCreated }: { onCreated: () => void }) {
  const { client } = useSession()
  const [secret, setSecret] = useState('')
  const [expiry, setExpiry] = useState<number | null>(90 * 86_400)
  const create = async (values: FormData) => {
    const scopes = values.getAll('scope') as ('read' | 'send')[]
    if (scopes.length === 0) return 'Choose at least one thing the token may do.'
    try {
      const answer = await client.call('createToken', {
        name: String(values.get('name')).trim(),
        scopes,
        ...(expiry !== null && { expires_in: expiry }),
      })
      setSecret(answer.token)
      onCreated()
    } catch (error) {
      return reasonOf(error)
    }
  }
  return (
    <>
      {secret && (
        <div className="note" role="status">
          <b>Copy the token now. It is not shown again.</b>
          <Copyable label="New token" text={secret} />
        </div>
      )}
      <Form button="Create token" onSend={create}>
        <Field label="What is it for?">
          {(id) => (
            <input id={id} name="name" required maxLength={100} className="text-input" placeholder="Backup script" />
          )}
        </Field>
        <fieldset className="checks">
          <legend>It may</legend>
          {scopeTexts.map(([scope, label, detail]) => (
            <label key={scope}>
              <input type="checkbox" name="scope" value={scope} defaultChecked={scope === 'read'} />
              <span>
                <b>{label}</b>
                <span className="d">{detail}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <div className="form-field">
          <span>It expires</span>
          <Select label="It expires" value={expiry} choices={expiryChoices} onChange={setExpiry} />
        </div>
      </Form>
    </>
  )
}
