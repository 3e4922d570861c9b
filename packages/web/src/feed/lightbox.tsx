import { lookup } from '@parley/api/lookup'
import type { MessageWindow } from '@parley/client/messages/window'
import { useLayoutEffect, useRef, useState } from 'react'
import { number, t } from '../platform/i18n.ts'
import { exactTime } from '../platform/times.ts'
import { useSession } from '../session/context.tsx'
import { IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import './lightbox.css'

interface Picture {
  url: string
  name: string
  about: string
}

interface LightboxProps {
  shown: MessageWindow
  /** Of the picture to begin with. */
  url: string
  onClose: () => void
}

/** The pictures of a conversation, as far as it is loaded, one at a time. */
export function Lightbox({ shown, url, onClose }: LightboxProps) {
  const pictures = usePictures(shown, url)
  const [now, setNow] = useState(() =>
    Math.max(
      0,
      pictures.findIndex((one) => one.url === url),
    ),
  )
  const view = useRef<HTMLButtonElement>(null)
  // The dialog would give the focus to its first button, and the keys start here.
  useLayoutEffect(() => view.current?.focus(), [])
  const [isLarge, setLarge] = useState(false)
  const { url: source, name, about } = pictures[now]!
  const go = (by: number) => () => {
    const next = now + by
    if (!pictures[next]) return
    setLarge(false)
    setNow(next)
  }
  const keys: Record<string, () => void> = { ArrowLeft: go(-1), ArrowRight: go(1), z: () => setLarge(!isLarge) }
  return (
    <Dialog title={name} look="lightbox" onClose={onClose} onKeyDown={({ key }) => lookup(keys, key)?.()}>
      <div className="stage">
        <p className="quiet" role="status">
          {about} · {t('image.title', { place: number(now + 1), count: number(pictures.length) })}
        </p>
        <IconButton
          label={t('image.previous')}
          icon="chevron-left"
          look="before"
          disabled={now === 0}
          onClick={go(-1)}
        />
        <button
          ref={view}
          type="button"
          className={isLarge ? 'view large' : 'view'}
          aria-label={t('image.zoom')}
          aria-pressed={isLarge}
          onClick={() => setLarge(!isLarge)}
        >
          <img src={source} alt={name} />
        </button>
        <IconButton
          label={t('image.next')}
          icon="chevron-right"
          look="after"
          disabled={now === pictures.length - 1}
          onClick={go(1)}
        />
        <a className="btn outline" href={source} download={name}>
          <Icon name="hard-drive-download" size="s" /> {t('image.download')}
        </a>
      </div>
    </Dialog>
  )
}

const previews = /<a href="(\/user_uploads\/[^"]+)"[^<>]*><img/g

function usePictures(shown: MessageWindow, url: string): Picture[] {
  const { messages } = useSession()
  const found = shown.ids.flatMap((id) => {
    const message = messages.byId.get(id)
    const urls = [...(message?.content.matchAll(previews) ?? [])].map(([, one]) => one!)
    return urls.map((one) => pictureOf(one, `${message!.sender_full_name}, ${exactTime(message!.timestamp)}`))
  })
  return found.some((one) => one.url === url) ? found : [pictureOf(url, '')]
}

function pictureOf(url: string, about: string): Picture {
  return { url, about, name: decodeURIComponent(url.slice(url.lastIndexOf('/') + 1)) }
}
