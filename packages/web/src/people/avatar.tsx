import { useStore } from '../session/context.tsx'
import { isOnline, nameOf } from './presence.ts'

type Size = 'sm' | 'md' | ''

/** The image of a user, or their initials on a colour of their own. */
export function Avatar({
  userId,
  name,
  url,
  size = '',
}: {
  userId: number
  name: string
  url?: string | null
  size?: Size
}) {
  if (url) return <img className={`avatar ${size}`} src={url} alt="" loading="lazy" />
  return (
    <span className={`avatar ${size}`} style={{ '--hue': hueOf(userId) } as React.CSSProperties} aria-hidden="true">
      {initials(name, size === 'sm' ? 1 : 2)}
    </span>
  )
}

/** An avatar with the user's presence. */
export function PresentAvatar({ userId, size = 'sm' }: { userId: number; size?: Size }) {
  const store = useStore()
  const user = store.users.byId.get(userId)
  const name = nameOf(store, userId)
  return (
    <span className="avatar-slot">
      <Avatar userId={userId} name={name} url={user?.avatar_url ?? null} size={size} />
      {user && !user.is_bot && <i className={`dot ${isOnline(store, userId) ? 'on' : 'off'}`} />}
    </span>
  )
}

export function hueOf(userId: number): number {
  return (userId * 137) % 360
}

export function initials(name: string, length: number): string {
  const words = name.trim().split(/\s+/)
  const letters =
    words.length > 1 && length > 1 ? words[0]!.slice(0, 1) + words.at(-1)!.slice(0, 1) : name.slice(0, length)
  return letters
}
