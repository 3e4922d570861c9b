import type { HookObject, IntegrationObject } from '@parley/api/delivery/hooks'
import { useState } from 'react'
import { t } from '../../platform/i18n.ts'
import { goTo } from '../../platform/routing.ts'
import { Rendered } from '../../rendered/rendered.tsx'
import { useSession, useSlices } from '../../session/context.tsx'
import { Loaded, useLoaded } from '../../session/loading.tsx'
import { showToast } from '../../ui/toast.tsx'
import { ConfirmButton } from '../confirm.tsx'
import { Card, Copyable, Line, OnceButton, SwitchLine } from '../controls.tsx'
import { reasonOf, save } from '../saving.ts'
import { outcomeTexts, RequestLog } from './request-log.tsx'
import { TemplateForm } from './template-form.tsx'

interface DetailsProps {
  id: number
  integrations: readonly IntegrationObject[]
}

/** One hook: its URL with the steps at the sender, a test, its log, its templates. */
export function HookDetails({ id, integrations }: DetailsProps) {
  const { client } = useSession()
  const hooks = useLoaded(() => client.call('getHooks').then((answer) => answer.hooks))
  const [round, setRound] = useState(0)
  const [example, setExample] = useState<string>()
  const shown = (hook: HookObject) => {
    const integration = integrations.find(({ name }) => name === hook.integration)
    const changed = () => hooks.reload()
    return (
      <>
        {integration && <SetUp hook={hook} integration={integration} onTested={() => setRound(round + 1)} />}
        <RequestLog key={round} hookId={id} onTemplate={setExample} />
        <TemplateForm key={example} hook={hook} example={example} onSaved={changed} />
        <HookSettings hook={hook} onChange={changed} />
      </>
    )
  }
  return (
    <Loaded of={hooks}>
      {(list) => {
        const hook = list.find((one) => one.id === id)
        return hook ? shown(hook) : <p className="none-yet">{t('hooks.gone')}</p>
      }}
    </Loaded>
  )
}

interface SetUpProps {
  hook: HookObject
  integration: IntegrationObject
  onTested: () => void
}

function SetUp({ hook, integration, onTested }: SetUpProps) {
  const { client } = useSession()
  const url = hook.url ?? ''
  const content = integration.setup.replaceAll('{{url}}', url)
  const steps = useLoaded(() => client.call('renderMessage', { content }).then(({ rendered }) => rendered), content)
  const test = async () => {
    try {
      const { outcome, error } = await client.call('testHook', { path: { hook_id: hook.id } })
      const isSent = outcome === 'sent'
      showToast({ text: isSent ? t('hooks.tested') : (error ?? t(outcomeTexts[outcome])), isError: !isSent })
      onTested()
    } catch (error) {
      showToast({ text: reasonOf(error), isError: true })
    }
  }
  return (
    <Card
      title={hook.name}
      text={<HookPlace hook={hook} />}
      action={
        <OnceButton look="outline" icon="send-horizontal" onPress={test}>
          {t('hooks.test')}
        </OnceButton>
      }
    >
      {url && (
        <Line label={t('hooks.url')} detail={t('hooks.url.text')}>
          <Copyable label={t('hooks.url')} text={url} />
        </Line>
      )}
      <div className="hook-steps">
        <Loaded of={steps}>{(html) => <Rendered html={html} />}</Loaded>
      </div>
    </Card>
  )
}

function HookPlace({ hook: { channel_id, topic } }: { hook: HookObject }) {
  const store = useSlices('channels')
  if (channel_id === null) return t('hooks.toMe')
  const { subscribed, neverSubscribed } = store.channels
  const name = (subscribed.get(channel_id) ?? neverSubscribed.get(channel_id))?.name ?? String(channel_id)
  return topic === null ? t('hooks.postsTo', { name }) : t('hooks.postsToTopic', { name, topic })
}

function HookSettings({ hook, onChange }: { hook: HookObject; onChange: () => void }) {
  const { client } = useSession()
  const path = { hook_id: hook.id }
  const change = async (params: { is_enabled?: boolean; mentions_allowed?: boolean }) => {
    const isSaved = await save(() => client.call('updateHook', { path, ...params }))
    onChange()
    return isSaved
  }
  const remove = async () => {
    if (await save(() => client.call('deleteHook', { path }), { text: t('hooks.deleted') }))
      goTo('#settings/integrations')
  }
  return (
    <Card title={t('hooks.settings')}>
      <SwitchLine
        label={t('hooks.enabled')}
        detail={t('hooks.enabled.text')}
        isOn={hook.is_enabled}
        onChange={(is_enabled) => change({ is_enabled })}
      />
      <SwitchLine
        label={t('hooks.mentions')}
        detail={t('hooks.mentions.text')}
        isOn={hook.options.mentions_allowed ?? false}
        onChange={(mentions_allowed) => change({ mentions_allowed })}
      />
      <Line label={t('hooks.delete')} detail={t('hooks.delete.text')}>
        <ConfirmButton
          label={t('common.delete')}
          question={t('hooks.deleteQuestion', { name: hook.name })}
          explanation={t('hooks.delete.text')}
          onConfirm={() => void remove()}
        />
      </Line>
    </Card>
  )
}
