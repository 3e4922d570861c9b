import type { CallResponse } from '@parley/client/wire/calls'
import { nameOf } from '../people/presence.ts'
import { rich, t } from '../platform/i18n.ts'
import { exactTime } from '../platform/times.ts'
import { Rendered } from '../rendered/rendered.tsx'
import { useSession, useSlices } from '../session/context.tsx'
import { Loaded, useLoaded } from '../session/loading.tsx'
import { Dialog } from '../ui/dialog.tsx'

type Version = CallResponse<'getMessageHistory'>['message_history'][number]

/** The versions of a message, the newest first, with what changed in each. */
export function HistoryDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const { client } = useSession()
  const params = { path: { message_id: id }, allow_empty_topic_name: true }
  const history = useLoaded(() => client.call('getMessageHistory', params), id)
  return (
    <Dialog title={t('message.history')} onClose={onClose}>
      <Loaded of={history}>
        {({ message_history }) => (
          <ol className="versions">
            {message_history.toReversed().map((version, index) => (
              <li key={index}>
                <VersionEntry version={version} />
              </li>
            ))}
          </ol>
        )}
      </Loaded>
    </Dialog>
  )
}

const changed = (before: string | undefined, after: string | undefined) => ({
  before: <del>{before}</del>,
  after: <ins>{after}</ins>,
})

function VersionEntry({ version }: { version: Version }) {
  const store = useSlices('channels', 'users')
  const { timestamp, user_id, topic, prev_topic, stream, prev_stream } = version
  const channelName = (id: number | undefined) =>
    store.channels.subscribed.get(id ?? -1)?.name ?? t('message.anotherChannel')
  const html = version.content_html_diff ?? version.rendered_content
  return (
    <>
      <p className="quiet">
        {user_id === null ? t('people.unknown') : nameOf(store, user_id)} · {exactTime(timestamp)}
      </p>
      {prev_topic !== undefined && <p>{rich('message.topicChange', changed(prev_topic, topic))}</p>}
      {prev_stream !== undefined && (
        <p>{rich('message.channelChange', changed(channelName(prev_stream), channelName(stream)))}</p>
      )}
      {html !== undefined && <Rendered html={html} />}
    </>
  )
}
