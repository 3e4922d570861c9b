import { type TopicPolicy, topicPolicies } from '@parley/api/topic-policies'
import { narrows } from '@parley/client/messages/narrow'
import type { Slices } from '@parley/client/store/store'
import { topicName } from '../channels/topic-name.ts'
import { PresentAvatar } from '../people/avatar.tsx'
import { nameOf } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { shortTime } from '../platform/times.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { Button } from '../ui/button.tsx'
import { named, Select } from './choices.tsx'
import { Card, Line } from './controls.tsx'
import { Picker } from './picker.tsx'
import { save } from './saving.ts'

export function MutedPage() {
  return (
    <>
      <PeopleCard />
      <TopicsCard />
    </>
  )
}

function PeopleCard() {
  const store = useSlices('mutedUsers', 'users')
  const { client, viewerId } = useSession()
  const mute = (id: number) => client.call('muteUser', { path: { muted_user_id: id } })
  const unmute = (id: number) => client.call('unmuteUser', { path: { muted_user_id: id } })
  const others = [...store.users.byId.values()].filter(
    ({ user_id, is_active }) => is_active && user_id !== viewerId && !store.mutedUsers.has(user_id),
  )
  return (
    <Card title={t('muted.people')} text={t('muted.people.text')}>
      {store.mutedUsers.list.map(({ id, timestamp }) => (
        <Line
          key={id}
          start={<PresentAvatar userId={id} size="md" />}
          label={nameOf(store, id)}
          detail={t('muted.since', { time: shortTime(timestamp) })}
        >
          <Button
            look="outline"
            onClick={() => void save(() => unmute(id), { undo: () => mute(id), text: t('muted.unmuted') })}
          >
            {t('people.unmute')}
          </Button>
        </Line>
      ))}
      {store.mutedUsers.list.length === 0 && <p className="none-yet">{t('muted.nobody')}</p>}
      <div className="line-item">
        <Picker
          label={t('muted.mute')}
          placeholder={t('muted.mute')}
          options={others.map(({ user_id, full_name, email }) => ({
            key: String(user_id),
            label: full_name,
            detail: email,
          }))}
          onPick={({ key }) =>
            void save(() => mute(Number(key)), { undo: () => unmute(Number(key)), text: t('topic.muted') })
          }
        />
      </div>
    </Card>
  )
}

const policies = [
  [topicPolicies.muted, 'topic.muted'],
  [topicPolicies.unmuted, 'muted.unmuted'],
  [topicPolicies.followed, 'topic.followed'],
  [topicPolicies.none, 'muted.asChannel'],
] as const

function TopicsCard() {
  const store = useSlices('channels', 'topics')
  const { client } = useSession()
  const topics = store.topics.snapshot().user_topics
  const put = (stream_id: number, topic: string, visibility_policy: TopicPolicy) =>
    client.call('setTopicPolicy', { stream_id, topic, visibility_policy })
  return (
    <Card title={t('channel.tab.topics')} text={t('muted.topics.text')}>
      {topics.map(({ stream_id, topic_name, visibility_policy, last_updated }) => (
        <Line
          key={`${stream_id} ${topic_name}`}
          label={
            <a href={narrowHash(narrows.topic(stream_id, topic_name), store)}>
              {channelName(store, stream_id)} › {topicName(topic_name)}
            </a>
          }
          detail={t('muted.changed', { time: shortTime(last_updated) })}
        >
          <Select
            label={t('muted.policyOf', { topic: topicName(topic_name) })}
            value={visibility_policy}
            choices={named(policies)}
            onChange={(policy) =>
              void save(() => put(stream_id, topic_name, policy), {
                undo: () => put(stream_id, topic_name, visibility_policy),
              })
            }
          />
        </Line>
      ))}
      {topics.length === 0 && <p className="none-yet">{t('muted.noTopics')}</p>}
    </Card>
  )
}

function channelName({ channels }: Slices<'channels'>, id: number): string {
  const channel = channels.subscribed.get(id) ?? channels.left.get(id) ?? channels.neverSubscribed.get(id)
  return channel ? `#${channel.name}` : t('channel.unknown')
}
