import type { ChannelPinObject } from '@parley/api/conversations/channel-pins'
import { narrows } from '@parley/client/messages/narrow'
import type { Slices } from '@parley/client/store/store'
import { Suspense, useState } from 'react'
import { mayPin } from '../permissions/messages.ts'
import { t } from '../platform/i18n.ts'
import { useSlices } from '../session/context.tsx'
import { lazyPart } from '../session/lazy-part.tsx'
import { narrowHash } from '../session/links.ts'
import { Icon } from '../ui/icon.tsx'
import { usePins } from './use-pins.ts'

const PinsDialog = lazyPart(() => import('./pins-dialog.tsx').then((one) => one.PinsDialog))

/** The messages and links that are pinned to a channel. Nothing, if there are none. */
export function ChannelPins({ channelId }: { channelId: number }) {
  const store = useSlices('channels', 'viewer')
  const pins = usePins(channelId)
  const [isEditing, setEditing] = useState(false)
  if (pins.length === 0) return null
  return (
    <fieldset className="channel-links" aria-label={t('pins.title')}>
      {pins.map((pin) => (
        <PinChip key={pin.id} pin={pin} href={pinHref(pin, channelId, store)} />
      ))}
      {mayPin(store, channelId) && (
        <button type="button" className="chip" onClick={() => setEditing(true)}>
          <Icon name="pencil-line" size="s" />
          {t('common.edit')}
        </button>
      )}
      {isEditing && (
        <Suspense>
          <PinsDialog channelId={channelId} onClose={() => setEditing(false)} />
        </Suspense>
      )}
    </fieldset>
  )
}

function PinChip({ pin: { title, url }, href }: { pin: ChannelPinObject; href: string }) {
  return (
    <a className="chip" href={href} {...(url !== null && { target: '_blank', rel: 'noopener noreferrer' })} dir="auto">
      <Icon name={url === null ? 'pin' : 'link'} size="s" />
      <span>{title}</span>
    </a>
  )
}

/** A pinned message is looked up where it is now: its topic may have been renamed. */
function pinHref({ url, message_id }: ChannelPinObject, channelId: number, store: Slices<'channels'>): string {
  return url ?? narrowHash(narrows.channel(channelId), store, message_id!)
}
