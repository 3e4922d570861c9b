import type { Bot } from '@parley/api/bots'
import { useState } from 'react'
import { Avatar } from '../people/avatar.tsx'
import { nameOf } from '../people/presence.ts'
import { shortTime } from '../platform/times.ts'
import { useSession, useStore } from '../session/context.tsx'
import { Button } from '../ui/button.tsx'
import { ConfirmButton, Copyable, Line, TextLine } from './controls.tsx'
import { Loaded, useLoaded } from './loading.tsx'
import { save } from './saving.ts'

export const botTypeNames: Record<number, string> = {
  1: 'Generic bot',
  2: 'Incoming webhook',
  3: 'Outgoing webhook',
  4: 'Embedded bot',
}

/** Bots with their keys; those that call a server also show their deliveries. */
export function BotList({ bots }: { bots: readonly Bot[] }) {
  const store = useStore()
  const [openId, setOpenId] = useState<number>()
  if (bots.length === 0) return <p className="none-yet">No bots yet.</p>
  return bots.map((bot) => (
    <div key={bot.user_id}>
      <Line
        start={
          <Avatar
            userId={bot.user_id}
            name={bot.full_name}
            url={store.users.byId.get(bot.user_id)?.avatar_url ?? null}
          />
        }
        label={bot.full_name}
        detail={[
          botTypeNames[bot.bot_type],
          bot.email,
          bot.owner_id !== undefined && `owned by ${nameOf(store, bot.owner_id)}`,
          !bot.is_active && 'deactivated',
        ]
          .filter(Boolean)
          .join(' · ')}
      >
        <Button
          look="outline"
          aria-expanded={openId === bot.user_id}
          onClick={() => setOpenId(openId === bot.user_id ? undefined : bot.user_id)}
        >
          Manage
        </Button>
      </Line>
      {openId === bot.user_id && <BotDetails bot={bot} />}
    </div>
  ))
}

function BotDetails({ bot }: { bot: Bot }) {
  const { client } = useSession()
  const path = { bot_id: bot.user_id }
  const [service] = bot.services
  const rename = (full_name: string) => client.call('updateBot', { path, full_name })
  const setUrl = (service_payload_url: string) => client.call('updateBot', { path, service_payload_url })
  if (!bot.is_active)
    return (
      <Line label="This bot is deactivated" detail="Its messages stay">
        <Button
          look="outline"
          onClick={() => void save(() => client.call('reactivateUser', { path: { user_id: bot.user_id } }))}
        >
          Reactivate
        </Button>
      </Line>
    )
  return (
    <>
      <TextLine
        label="Name"
        value={bot.full_name}
        onSave={(name) => save(() => rename(name), { undo: () => rename(bot.full_name) })}
      />
      {service && (
        <TextLine
          label="URL it calls"
          type="url"
          value={service.base_url}
          onSave={(url) => save(() => setUrl(url), { undo: () => setUrl(service.base_url) })}
        />
      )}
      {bot.api_key && (
        <Line label="API key" detail="Anyone who has it can act as the bot">
          <Copyable label={`API key of ${bot.full_name}`} text={bot.api_key} />
        </Line>
      )}
      <Line label="Replace or deactivate">
        <ConfirmButton
          label="New key"
          question="Replace the API key?"
          explanation="The old key stops working immediately."
          onConfirm={() =>
            void save(() => client.call('regenerateBotApiKey', { path }), { text: 'The bot has a new key' })
          }
        />
        <ConfirmButton
          label="Deactivate"
          question={`Deactivate ${bot.full_name}?`}
          explanation="It can no longer send or read. Its messages stay."
          onConfirm={() =>
            void save(() => client.call('deactivateBot', { path }), {
              text: 'Deactivated',
              undo: () => client.call('reactivateUser', { path: { user_id: bot.user_id } }),
            })
          }
        />
      </Line>
      {bot.bot_type === 3 && <Deliveries botId={bot.user_id} />}
    </>
  )
}

function Deliveries({ botId }: { botId: number }) {
  const { client } = useSession()
  const path = { bot_id: botId }
  const deliveries = useLoaded(() => client.call('getDeliveries', { path }).then((answer) => answer.deliveries), botId)
  const secret = useLoaded(() => client.call('getWebhookSecret', { path }).then((answer) => answer.secret), botId)
  const replay = (id: number) =>
    save(() => client.call('replayDelivery', { path: { ...path, delivery_id: id } }), {
      text: 'It is sent again',
    }).then(deliveries.reload)
  return (
    <>
      {secret.value && (
        <Line label="Signing secret" detail="To check that a request comes from here">
          <Copyable label="Signing secret" text={secret.value} />
        </Line>
      )}
      <Line label="Deliveries" detail="The latest 50 requests to its URL">
        <Button look="outline" icon="refresh" onClick={deliveries.reload}>
          Refresh
        </Button>
      </Line>
      <Loaded of={deliveries}>
        {(list) =>
          list.length === 0 ? (
            <p className="none-yet">Nothing was delivered yet. Mention the bot to try it.</p>
          ) : (
            list.map(({ id, trigger, status, attempts, created_at, response_status, duration_ms, error }) => (
              <Line
                key={id}
                label={`${status === 'failed' ? '✕' : status === 'delivered' ? '✓' : '…'} ${status}`}
                detail={[
                  shortTime(created_at),
                  trigger.replace('_', ' '),
                  response_status !== null && `HTTP ${response_status}`,
                  duration_ms !== null && `${duration_ms} ms`,
                  attempts > 1 && `${attempts} attempts`,
                  error,
                ]
                  .filter(Boolean)
                  .join(' · ')}
              >
                {(status === 'failed' || status === 'delivered') && (
                  <Button look="outline" onClick={() => void replay(id)}>
                    Send again
                  </Button>
                )}
              </Line>
            ))
          )
        }
      </Loaded>
    </>
  )
}
