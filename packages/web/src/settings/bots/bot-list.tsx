import type { Bot } from '@parley/api/delivery/bots'
import { botTypes } from '@parley/api/kinds'
import { useState } from 'react'
import { Avatar } from '../../people/avatar.tsx'
import { nameOf } from '../../people/presence.ts'
import { type PlainId, t } from '../../platform/i18n.ts'
import { useSession, useSlices } from '../../session/context.tsx'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/toast.tsx'
import { ConfirmButton } from '../confirm.tsx'
import { useConfirmation } from '../confirmation.tsx'
import { Copyable, Line } from '../controls.tsx'
import { TextLine } from '../fields.tsx'
import { reasonOf, save } from '../saving.ts'
import { Deliveries } from './deliveries.tsx'
import { WebhookEvents } from './webhook-events.tsx'

const botTypeNames: Record<number, PlainId> = {
  1: 'bots.generic',
  2: 'bots.incoming',
  3: 'bots.outgoing',
  4: 'bots.embedded',
}

function typeName(type: number): string {
  const name = botTypeNames[type]
  return name ? t(name) : ''
}

/** Bots with their keys; those that call a server also show their deliveries. */
export function BotList({ bots }: { bots: readonly Bot[] }) {
  const store = useSlices('users')
  const [openId, setOpenId] = useState<number>()
  if (bots.length === 0) return <p className="none-yet">{t('bots.none')}</p>
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
          typeName(bot.bot_type),
          bot.email,
          bot.owner_id !== undefined && t('bots.ownedBy', { name: nameOf(store, bot.owner_id) }),
          !bot.is_active && t('people.deactivated'),
        ]
          .filter(Boolean)
          .join(' · ')}
      >
        <Button
          look="outline"
          aria-expanded={openId === bot.user_id}
          onClick={() => setOpenId(openId === bot.user_id ? undefined : bot.user_id)}
        >
          {t('bots.manage')}
        </Button>
      </Line>
      {openId === bot.user_id && <BotDetails bot={bot} />}
    </div>
  ))
}

interface Secrets {
  api_key: string
  webhook_secret: string | null
}

const refuse = (error: unknown) => showToast({ text: reasonOf(error), isError: true })

function BotDetails({ bot }: { bot: Bot }) {
  const { client } = useSession()
  const path = { bot_id: bot.user_id }
  const [service] = bot.services
  const rename = (full_name: string) => client.call('updateBot', { path, full_name })
  const { confirm, dialog } = useConfirmation()
  const [secrets, setSecrets] = useState<Secrets>()
  const setUrl = (service_payload_url: string) =>
    confirm((password) => client.call('updateBot', { path, service_payload_url, password }))
  const show = () => confirm((password) => client.call('getBotSecrets', { path, password })).then(setSecrets, refuse)
  const replaceKey = () =>
    save(
      async () => {
        const { api_key } = await confirm((password) => client.call('regenerateBotApiKey', { path, password }))
        setSecrets({ webhook_secret: null, ...secrets, api_key })
      },
      { text: t('bots.replaced') },
    )
  if (!bot.is_active)
    return (
      <Line label={t('bots.isDeactivated')} detail={t('bots.messagesStay')}>
        <Button
          look="outline"
          onClick={() => void save(() => client.call('reactivateUser', { path: { user_id: bot.user_id } }))}
        >
          {t('common.reactivate')}
        </Button>
      </Line>
    )
  return (
    <>
      <TextLine
        label={t('common.name')}
        value={bot.full_name}
        onSave={(name) => save(() => rename(name), { undo: () => rename(bot.full_name) })}
      />
      {service && (
        <TextLine
          label={t('bots.url')}
          type="url"
          value={service.base_url}
          onSave={(url) => save(() => setUrl(url), { undo: () => setUrl(service.base_url) })}
        />
      )}
      {dialog}
      <Line label={t('bots.apiKey')} detail={t('bots.apiKey.text')}>
        {secrets ? (
          <Copyable label={t('bots.apiKeyOf', { name: bot.full_name })} text={secrets.api_key} />
        ) : (
          <Button look="outline" icon="key-round" onClick={() => void show()}>
            {t('bots.showKey')}
          </Button>
        )}
      </Line>
      {secrets?.webhook_secret && (
        <Line label={t('bots.secret')} detail={t('bots.secret.text')}>
          <Copyable label={t('bots.secret')} text={secrets.webhook_secret} />
        </Line>
      )}
      <Line label={t('bots.replaceOrDeactivate')}>
        <ConfirmButton
          label={t('bots.newKey')}
          question={t('bots.replaceQuestion')}
          explanation={t('bots.replaceText')}
          onConfirm={() => void replaceKey()}
        />
        <ConfirmButton
          label={t('common.deactivate')}
          question={t('common.deactivateQuestion', { name: bot.full_name })}
          explanation={t('bots.deactivateText')}
          onConfirm={() =>
            void save(() => client.call('deactivateBot', { path }), {
              text: t('people.deactivated'),
              undo: () => client.call('reactivateUser', { path: { user_id: bot.user_id } }),
            })
          }
        />
      </Line>
      {service && <WebhookEvents bot={bot} />}
      {bot.bot_type === botTypes.outgoingWebhook && <Deliveries botId={bot.user_id} />}
    </>
  )
}
