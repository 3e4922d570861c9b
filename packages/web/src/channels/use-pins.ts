import type { ChannelPinObject } from '@parley/api/conversations/channel-pins'
import type { QueueEvent } from '@parley/api/events'
import { useEffect, useState } from 'react'
import { useChanges, useSession } from '../session/context.tsx'

/** What is pinned to a channel, kept up to date while it is shown. Nothing until it is loaded, or if it cannot be. */
export function usePins(channelId: number): ChannelPinObject[] {
  const session = useSession()
  useChanges()
  const { connection } = session
  const [pins, setPins] = useState<ChannelPinObject[]>([])
  useEffect(() => {
    let newest = 0
    const load = () => {
      const round = ++newest
      session.client.call('getChannelPins', { path: { stream_id: channelId } }).then(
        (answer) => round === newest && setPins(answer.pins),
        () => {}, // the conversation itself says what is wrong
      )
    }
    if (connection === 'online') load()
    const unfollow = session.onEvent((event) => mayChangePins(event, channelId) && load())
    return () => {
      newest = -1
      unfollow()
    }
  }, [session, channelId, connection])
  return pins
}

/** Pins of messages that are deleted, restored or moved elsewhere are not shown. */
function mayChangePins(event: QueueEvent, channelId: number): boolean {
  if (event.type === 'channel_pins' || event.type === 'delete_message') return event.stream_id === channelId
  return event.type === 'update_message' && event.new_stream_id !== undefined
}
