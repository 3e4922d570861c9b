import { maxTopicLength } from '@parley/api/message-limits'
import { newKey } from '@parley/client/session/deliveries'
import type { Session } from '@parley/client/session/session'
import type { Slices } from '@parley/client/store/store'
import { t } from '../platform/i18n.ts'
import { act } from '../session/act.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { IconButton } from '../ui/button.tsx'
import { insertText } from './editing.ts'

const jitsi = 1
const bigBlueButton = 4

/** Puts a link to a new video call into the composer, if the organization has calls. */
export function CallButton({ name, look }: { name: string; look: string }) {
  const session = useSession()
  const store = useSlices('realm')
  if (!hasCalls(store)) return null
  return (
    <IconButton label={t('compose.call')} icon="video" look={look} onClick={() => void act(startCall(session, name))} />
  )
}

function hasCalls({ realm }: Slices<'realm'>): boolean {
  const provider = realm.settings.video_chat_provider
  return provider === bigBlueButton || (provider === jitsi && Boolean(realm.meetingServer))
}

async function startCall(session: Session, name: string): Promise<void> {
  const url = await newCall(session, name)
  const area = document.getElementById('composer')
  if (area instanceof HTMLTextAreaElement) insertText(area, `[${t('compose.joinCall')}](${url}) `)
}

async function newCall({ client, store }: Session, name: string): Promise<string> {
  const { realm } = store!
  if (realm.settings.video_chat_provider === bigBlueButton) {
    const { url } = await client.call('createBigBlueButtonCall', { meeting_name: name.slice(0, maxTopicLength) })
    return new URL(url, window.location.origin).href
  }
  return `${realm.meetingServer!.replace(/\/$/, '')}/${newKey()}`
}
