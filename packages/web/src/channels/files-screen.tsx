import { type Narrow, narrows } from '@parley/client/messages/narrow'
import { useCallback, useEffect, useMemo } from 'react'
import { Header } from '../feed/header.tsx'
import { channelOfStore } from '../feed/titles.ts'
import { t } from '../platform/i18n.ts'
import { shortTime } from '../platform/times.ts'
import { useChanges, useRetryOnline, useSession, useSlices, useWindow } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { detailsOf, type Reference } from '../topics/details-model.ts'
import '../topics/topics.css'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Empty, Failure, Skeleton } from '../ui/states.tsx'
import { topicName } from './topic-name.ts'

/** The files in messages of a channel that the viewer may read, the latest first. */
export function FilesScreen({ channelId }: { channelId: number }) {
  const store = useSlices('channels')
  if (!channelOfStore(store, channelId))
    return (
      <main className="main">
        <Empty icon="lock" title={t('channel.noAccess')} />
      </main>
    )
  return (
    <main className="main">
      <Header narrow={narrows.channel(channelId)} tab="files" />
      <div className="topic-list">
        <Files channelId={channelId} />
      </div>
    </main>
  )
}

function Files({ channelId }: { channelId: number }) {
  const { messages } = useSession()
  const { shown, retry } = useMessagesWithFiles(channelId)
  const { ids } = shown
  const files = useMemo(
    () => detailsOf(ids.map((id) => messages.byId.get(id)).filter((one) => one !== undefined)).files,
    [messages, ids],
  )
  if (shown.error && !shown.isLoaded) return <Failure error={shown.error} onRetry={retry} />
  if (!shown.isLoaded) return <Skeleton />
  if (files.length === 0 && shown.hasOldest) return <Empty icon="file-text" title={t('channel.noFiles')} />
  return (
    <>
      <ul>
        {files.map((file) => (
          <FileRow key={file.url} file={file} />
        ))}
      </ul>
      {!shown.hasOldest && (
        <Button look="outline" onClick={() => void shown.loadMore('older')}>
          {t('channel.moreFiles')}
        </Button>
      )}
    </>
  )
}

/** The server decides which messages have files and which of them the viewer may read. */
function useMessagesWithFiles(channelId: number) {
  const session = useSession()
  useChanges()
  const narrow = useMemo<Narrow>(
    () => [...narrows.channel(channelId), { operator: 'has', operand: 'attachment' }],
    [channelId],
  )
  const shown = useWindow(narrow)
  const retry = useCallback(() => void shown.open('newest'), [shown])
  useRetryOnline(shown.error !== undefined, retry)
  useEffect(() => {
    retry()
    // The client does not match this narrow itself, so new files are loaded.
    return session.onEvent((event) => {
      if (event.type !== 'message' || event.message.stream_id !== channelId) return
      if (event.message.content.includes('/user_uploads/')) retry()
    })
  }, [session, channelId, retry])
  return { shown, retry }
}

function FileRow({ file: { url, name, kind, message } }: { file: Reference }) {
  const store = useSlices('channels')
  const place = narrows.topic(message.stream_id!, message.subject)
  return (
    <li className="file-row">
      <a className="file" href={url} target="_blank" rel="noopener noreferrer">
        <span className="thumb">
          <Icon name={kind === 'image' ? 'image' : 'file-text'} />
        </span>
        <div>
          <b dir="auto">{name}</b>
          <span>
            {message.sender_full_name}, {shortTime(message.timestamp)} · {topicName(message.subject)}
          </span>
        </div>
      </a>
      <a className="btn outline" href={narrowHash(place, store, message.id)}>
        {t('files.message')}
      </a>
    </li>
  )
}
