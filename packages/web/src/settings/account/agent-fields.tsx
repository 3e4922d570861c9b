import { t } from '../../platform/i18n.ts'
import { useSlices } from '../../session/context.tsx'
import { ChannelChips } from '../channel-chips.tsx'
import { Field } from '../fields.tsx'

interface AgentFieldsProps {
  channelIds: readonly number[]
  onChange: (ids: number[]) => void
}

/** What the token of an agent may use. */
export function AgentFields({ channelIds, onChange }: AgentFieldsProps) {
  const store = useSlices('channels')
  const readable = [...store.channels.subscribed.values()].filter(({ is_archived }) => !is_archived)
  return (
    <>
      <div className="form-field">
        <span>{t('bots.onlyChannels')}</span>
        <ChannelChips all={readable} chosen={channelIds} onChange={onChange} />
        <span className="d">{t('tokens.agentChannels.text')}</span>
      </div>
      <Field label={t('tokens.perHour')}>
        {(id) => (
          <input
            id={id}
            name="messages_per_hour"
            type="number"
            min={0}
            max={10_000}
            defaultValue={30}
            required
            className="text-input"
          />
        )}
      </Field>
      <fieldset className="checks">
        <label>
          <input type="checkbox" name="may_mix_channels" value="true" />
          <span>
            <b>{t('tokens.mayMix')}</b>
          </span>
        </label>
      </fieldset>
    </>
  )
}
