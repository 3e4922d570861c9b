import type { Bot } from '@parley/api/delivery/bots'
import { type Trigger, triggers } from '@parley/api/delivery/webhook-triggers'
import { type PlainId, t } from '../../platform/i18n.ts'
import { useSession, useSlices } from '../../session/context.tsx'
import { ChannelChips } from '../channel-chips.tsx'
import { knownChannels } from '../channels/channels-model.ts'
import { Line, OnceButton, SwitchLine } from '../controls.tsx'
import { save } from '../saving.ts'
import { useChosen } from '../use-chosen.ts'

export const triggerTexts: Record<Trigger, PlainId> = {
  direct_message: 'compose.direct',
  mention: 'bots.trigger.mention',
  channel_message: 'bots.trigger.channel_message',
  topic_started: 'bots.trigger.topic_started',
  reaction: 'bots.trigger.reaction',
  topic_resolved: 'bots.trigger.topic_resolved',
  message_updated: 'bots.trigger.message_updated',
  message_deleted: 'bots.trigger.message_deleted',
  channel_created: 'bots.trigger.channel_created',
  user_joined: 'bots.trigger.user_joined',
}

const withOrWithout = (chosen: readonly Trigger[], trigger: Trigger, isOn: boolean) =>
  triggers.filter((one) => (one === trigger ? isOn : chosen.includes(one)))

/** What the endpoint of a bot is called for. */
export function WebhookEvents({ bot }: { bot: Bot }) {
  const { client } = useSession()
  const store = useSlices('channels', 'viewer')
  const service = bot.services[0]!
  const path = { bot_id: bot.user_id }
  const update = (changes: Partial<typeof service>) => client.call('updateBot', { path, ...changes })
  const [chosen, choose] = useChosen(service.triggers, (triggers) => save(() => update({ triggers })))
  const setChannels = (ids: number[]) => save(() => update({ channel_ids: ids.length > 0 ? ids : null }))
  return (
    <>
      {service.paused && (
        <Line label={t('bots.paused')} detail={t('bots.paused.text')}>
          <OnceButton onPress={() => save(() => update({ paused: false }))}>{t('bots.resume')}</OnceButton>
        </Line>
      )}
      <div className="line-block">
        <fieldset className="check-grid">
          <legend>
            <b>{t('bots.events')}</b>
            <span className="d">{t('bots.events.text')}</span>
          </legend>
          {triggers.map((trigger) => (
            <label key={trigger}>
              <input
                type="checkbox"
                checked={chosen.includes(trigger)}
                onChange={({ target }) => void choose(withOrWithout(chosen, trigger, target.checked))}
              />
              {t(triggerTexts[trigger])}
            </label>
          ))}
        </fieldset>
      </div>
      <div className="line-block">
        <b>{t('bots.onlyChannels')}</b>
        <span className="d">{t('bots.onlyChannels.text')}</span>
        <ChannelChips
          all={knownChannels(store).filter(({ is_archived }) => !is_archived)}
          chosen={service.channel_ids ?? []}
          onChange={(ids) => void setChannels(ids)}
        />
      </div>
      <SwitchLine
        label={t('bots.inOrder')}
        isOn={service.in_order}
        onChange={(in_order) => save(() => update({ in_order }))}
      />
    </>
  )
}
