import { othersOf } from '@parley/client/messages/narrow'
import { topicName } from '../channels/topic-name.ts'
import { Avatar } from '../people/avatar.tsx'
import { namesOf } from '../people/presence.ts'
import { shortTime } from '../platform/times.ts'
import { plainText } from '../rendered/plain-text.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { useLoaded } from '../session/loading.tsx'
import { linkTo } from './links.ts'

/** A message that another one links to, as a card of a fixed height. Nothing, if the viewer cannot read it. */
export function LinkedMessage({ id }: { id: number }) {
  const session = useSession()
  const store = useSlices('channels', 'users')
  const params = { path: { message_id: id }, allow_empty_topic_name: true }
  const { value: message, error } = useLoaded(
    async () => session.messages.byId.get(id) ?? (await session.client.call('getMessage', params)).message,
    id,
  )
  if (error) return null
  if (!message) return <div className="card-quote" />
  const { stream_id, subject, sender_id, sender_full_name, avatar_url, timestamp, content } = message
  const channel = store.channels.subscribed.get(stream_id ?? -1)
  const where =
    stream_id === undefined
      ? namesOf(store, othersOf(message, session.viewerId))
      : `#${channel?.name ?? String(message.display_recipient)} › ${topicName(subject)}`
  return (
    <a className="card-quote" href={linkTo(message, session.viewerId, store)} style={{ '--channel': channel?.color }}>
      <span className="from">
        <Avatar userId={sender_id} name={sender_full_name} url={avatar_url ?? null} size="sm" />
        <b>{sender_full_name}</b> {shortTime(timestamp)}
      </span>
      <span dir="auto">{plainText(content)}</span>
      <span className="where">{where}</span>
    </a>
  )
}
