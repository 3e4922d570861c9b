import { ownImage } from '../platform/own-images.ts'
import { useSlices } from '../session/context.tsx'
import { isOnline, nameOf, namesOf } from './presence.ts'

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
  const image = ownImage(url)
  if (image) return <img className={`avatar ${size}`} src={image} alt="" loading="lazy" />
  return (
    <span className={`avatar ${size}`} style={{ '--hue': hueOf(userId) }} aria-hidden="true">
      {initials(name, size === 'sm' ? 1 : 2)}
    </span>
  )
}

/** An avatar with the user's presence. */
export function PresentAvatar({ userId, size = 'sm' }: { userId: number; size?: Size }) {
  const store = useSlices('presence', 'users')
  const user = store.users.byId.get(userId)
  const name = nameOf(store, userId)
  return (
    <span className="avatar-slot">
      <Avatar userId={userId} name={name} url={user?.avatar_url ?? null} size={size} />
      {user && !user.is_bot && <i className={`dot ${isOnline(store, userId) ? 'on' : 'off'}`} />}
    </span>
  )
}

/** The first of several people. */
export function Faces({ userIds, most, size }: { userIds: readonly number[]; most: number; size: Size }) {
  const store = useSlices('users')
  return (
    <span className="stack" title={namesOf(store, userIds)}>
      {userIds.slice(0, most).map((id) => (
        <Avatar
          key={id}
          userId={id}
          name={nameOf(store, id)}
          url={store.users.byId.get(id)?.avatar_url ?? null}
          size={size}
        />
      ))}
    </span>
  )
}

export function hueOf(userId: number): number {
  return (userId * 137) % 360
}

export function initials(name: string, length: number): string {
  const words = name.trim().split(/\s+/)
  return words.length > 1 && length > 1 ? first(words[0]!, 1) + first(words.at(-1)!, 1) : first(words[0]!, length)
}

const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** The first letters as people count them. Marks that pile up on a letter are cut. */
function first(text: string, count: number): string {
  const found = [...letters.segment(text.slice(0, 40))].slice(0, count)
  return found.map(({ segment }) => segment.slice(0, 8)).join('')
}
