import { nameLimits } from '@parley/api/limits'
import { roles } from '@parley/api/roles'
import { useState } from 'react'
import { nameOf } from '../../people/presence.ts'
import { t } from '../../platform/i18n.ts'
import { exactTime, shortTime } from '../../platform/times.ts'
import { useSession, useSlices } from '../../session/context.tsx'
import { Loaded, useLoaded } from '../../session/loading.tsx'
import { Icon } from '../../ui/icon.tsx'
import { named, Select } from '../choices.tsx'
import { ConfirmButton } from '../confirm.tsx'
import { Card, Copyable, Line, SwitchLine } from '../controls.tsx'
import { Field, Form } from '../fields.tsx'
import { expiryChoices, scopeTexts } from '../model.ts'
import { reasonOf, save } from '../saving.ts'
import { AgentFields } from './agent-fields.tsx'
import { LastingAccessDialog } from './lasting-access.tsx'
import { OwnPassword } from './own-password.tsx'
import { SessionLines } from './session-lines.tsx'
import { SignInsCard } from './sign-ins.tsx'

export function SessionsPage() {
  const { client } = useSession()
  const [isReviewing, setReviewing] = useState(false)
  const sessions = useLoaded(() => client.call('getSessions').then((answer) => answer.sessions))
  const tokens = useLoaded(() => client.call('getTokens').then((answer) => answer.tokens))
  const end = (id: number) =>
    save(() => client.call('endSession', { path: { session_id: id } }), { text: t('sessions.ended') }).then(
      sessions.reload,
    )
  const endOthers = () =>
    save(() => client.call('endOtherSessions'), { text: t('sessions.othersEnded') }).then((isEnded) => {
      setReviewing(isEnded)
      sessions.reload()
      tokens.reload()
    })
  return (
    <>
      <Card
        title={t('sessions.where')}
        text={t('sessions.where.text')}
        action={
          <ConfirmButton
            label={t('sessions.endOthers')}
            question={t('sessions.endOthersQuestion')}
            explanation={t('sessions.endOthersText')}
            onConfirm={() => void endOthers()}
          />
        }
      >
        <SessionLines sessions={sessions} onEnd={(id) => void end(id)} />
      </Card>
      {isReviewing && <LastingAccessDialog onClose={() => setReviewing(false)} />}
      <TokensCard tokens={tokens} />
      <SignInsCard />
    </>
  )
}

type Token = {
  id: number
  user_id: number
  name: string
  scopes: string[] | null
  agent: object | null
  created_at: number
  last_used_at: number | null
  expires_at: number | null
}

function TokensCard({ tokens }: { tokens: ReturnType<typeof useLoaded<Token[]>> }) {
  const { client, viewerId } = useSession()
  const store = useSlices('users')
  const revoke = (id: number) =>
    save(() => client.call('revokeToken', { path: { token_id: id } }), { text: t('common.revoked') }).then(
      tokens.reload,
    )
  return (
    <Card title={t('tokens.title')} text={t('tokens.text')}>
      <Loaded of={tokens}>
        {(list) =>
          list.length === 0 ? (
            <p className="none-yet">{t('tokens.none')}</p>
          ) : (
            list.map((token) => (
              <Line
                key={token.id}
                start={<Icon name="key-round" />}
                label={token.user_id === viewerId ? token.name : `${token.name} (${nameOf(store, token.user_id)})`}
                detail={describeToken(token)}
              >
                <ConfirmButton
                  label={t('common.revoke')}
                  question={t('tokens.revokeQuestion', { name: token.name })}
                  explanation={t('tokens.revokeText')}
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

function describeToken({ scopes, agent, last_used_at, expires_at }: Token): string {
  const names = scopeTexts.filter(([one]) => scopes?.includes(one)).map(([, text]) => t(text))
  return [
    scopes === null ? t('tokens.everything') : names.join(', '),
    agent && t('tokens.agent'),
    last_used_at === null ? t('tokens.neverUsed') : t('tokens.lastUsed', { time: shortTime(last_used_at) }),
    expires_at === null ? t('invitations.forever') : t('tokens.expires', { time: exactTime(expires_at) }),
  ]
    .filter(Boolean)
    .join(' · ')
}

/** The secret is shown once, after the token was created. */
function NewToken({ onCreated }: { onCreated: () => void }) {
  const { client } = useSession()
  const isModerator = useSlices('viewer').viewer.role <= roles.moderator
  const [secret, setSecret] = useState('')
  const [expiry, setExpiry] = useState<number | null>(90 * 86_400)
  const [isAgent, setAgent] = useState(false)
  const [channelIds, setChannelIds] = useState<number[]>([])
  const create = async (values: FormData) => {
    const scopes = values.getAll('scope') as ('read' | 'send')[]
    if (scopes.length === 0) return t('tokens.scopeMissing')
    try {
      const answer = await client.call('createToken', {
        name: String(values.get('name')).trim(),
        password: String(values.get('password')),
        scopes,
        ...(expiry !== null && { expires_in: expiry }),
        ...(isAgent && {
          agent: {
            channel_ids: channelIds.length > 0 ? channelIds : null,
            messages_per_hour: Number(values.get('messages_per_hour')),
          },
          may_mix_channels: values.has('may_mix_channels'),
        }),
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
          <b>{t('tokens.copyNow')}</b>
          <Copyable label={t('tokens.new')} text={secret} />
        </div>
      )}
      <Form button={t('tokens.create')} onSend={create}>
        <Field label={t('tokens.purpose')}>
          {(id) => (
            <input
              id={id}
              name="name"
              required
              maxLength={nameLimits.token}
              className="text-input"
              placeholder={t('tokens.example')}
            />
          )}
        </Field>
        <fieldset className="checks">
          <legend>{t('tokens.may')}</legend>
          {scopeTexts
            .filter(([scope]) =>
              isAgent ? scope === 'read' || scope === 'send' : scope !== 'administer' || isModerator,
            )
            .map(([scope, label, detail]) => (
              <label key={scope}>
                <input type="checkbox" name="scope" value={scope} defaultChecked={scope === 'read'} />
                <span>
                  <b>{t(label)}</b>
                  <span className="d">{t(detail)}</span>
                </span>
              </label>
            ))}
        </fieldset>
        <SwitchLine
          label={t('tokens.agent')}
          detail={t('tokens.agent.text')}
          isOn={isAgent}
          onChange={(isOn) => setAgent(isOn)}
        />
        {isAgent && <AgentFields channelIds={channelIds} onChange={setChannelIds} />}
        <div className="form-field">
          <span>{t('expiry.label')}</span>
          <Select label={t('expiry.label')} value={expiry} choices={named(expiryChoices)} onChange={setExpiry} />
        </div>
        <OwnPassword />
      </Form>
    </>
  )
}
