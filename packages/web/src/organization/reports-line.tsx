import { t } from '../platform/i18n.ts'
import { useSlices } from '../session/context.tsx'
import { knownChannels } from '../settings/channels/channels-model.ts'
import { SelectLine } from '../settings/choices.tsx'
import { useRealmSettings } from './use-realm.ts'

const name = 'moderation_request_channel_id'
const none = -1

/** The private channel in which reports of messages arrive. */
export function ReportsLine() {
  const { get, set } = useRealmSettings()
  const store = useSlices('channels')
  const channels = knownChannels(store).filter(({ invite_only, is_archived }) => invite_only && !is_archived)
  const known = channels.map((channel) => [channel.stream_id, `#${channel.name}`] as const)
  const chosen = Number(get(name) ?? none)
  const isHidden = chosen !== none && !known.some(([id]) => id === chosen)
  return (
    <SelectLine
      label={t('organization.reports')}
      detail={t('organization.reports.text')}
      value={chosen}
      choices={[
        [none, t('organization.reports.off')],
        ...(isHidden ? [[chosen, t('message.anotherChannel')] as const] : []),
        ...known,
      ]}
      onChange={(id) => set(name, id)}
    />
  )
}
