import { lookup } from '@parley/api/lookup'
import type { ShownMessage } from '@parley/client/messages/cache'
import type { Slices } from '@parley/client/store/store'
import { glyphOf } from '@parley/markdown/glyph'
import { useState } from 'react'
import { nameOf } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { toggleReaction } from './actions.ts'

/** With more reactions than this, names would fill the row. */
const mostNamed = 3
const mostShown = 40
const mostNames = 20

/** The reactions to a message, one button per emoji. */
export function Reactions({ message }: { message: ShownMessage }) {
  const session = useSession()
  const store = useSlices('preferences', 'users')
  const groups = Map.groupBy(message.reactions, ({ reaction_type, emoji_code }) => `${reaction_type} ${emoji_code}`)
  const [isWhole, setWhole] = useState(false)
  if (groups.size === 0) return null
  const isNamed = store.preferences.get('display_emoji_reaction_users') === true
  const hasNames = isNamed && message.reactions.length <= mostNamed
  return (
    <div className="reacts">
      {[...groups].slice(0, isWhole ? Infinity : mostShown).map(([key, reactions]) => {
        const [first] = reactions
        const isMine = reactions.some(({ user_id }) => user_id === session.viewerId)
        const names = namesOfSome(
          store,
          reactions.map(({ user_id }) => user_id),
        )
        return (
          <button
            key={key}
            type="button"
            className={`react ${isMine ? 'own' : ''}`}
            aria-pressed={isMine}
            aria-label={t('reactions.label', { emoji: first!.emoji_name, count: reactions.length, names })}
            title={names}
            onClick={() => toggleReaction(session, message, first!)}
          >
            <Glyph reaction={first!} />
            {hasNames ? names : reactions.length}
          </button>
        )
      })}
      {!isWhole && groups.size > mostShown && (
        <button type="button" className="react" onClick={() => setWhole(true)}>
          {t('reactions.more', { count: groups.size - mostShown })}
        </button>
      )}
    </div>
  )
}

function namesOfSome(store: Slices<'users'>, userIds: readonly number[]): string {
  const names = userIds.slice(0, mostNames).map((id) => nameOf(store, id))
  const others = userIds.length - names.length
  return others > 0 ? t('reactions.namesMore', { names: names.join(', '), count: others }) : names.join(', ')
}

function Glyph({ reaction }: { reaction: ShownMessage['reactions'][number] }) {
  const { emoji } = useSlices('emoji')
  if (reaction.reaction_type === 'unicode_emoji') return <span>{glyphOf(reaction.emoji_code)}</span>
  const url = lookup(emoji.byId, reaction.emoji_code)?.source_url
  return url ? <img src={url} alt="" width={17} height={17} /> : <span>:{reaction.emoji_name}:</span>
}
