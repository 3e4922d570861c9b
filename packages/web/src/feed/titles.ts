import { channelOf, type Narrow, type NarrowTerm, topicOf, usersOf } from '@parley/client/messages/narrow'
import type { Slices } from '@parley/client/store/store'
import { topicName } from '../channels/topic-name.ts'
import { namesOf } from '../people/presence.ts'
import { type PlainId, t } from '../platform/i18n.ts'

export function channelOfStore({ channels }: Slices<'channels'>, id: number) {
  return channels.subscribed.get(id) ?? channels.neverSubscribed.get(id) ?? channels.left.get(id)
}

/** The name of a narrow, for headings and the title of the window. */
export function titleOf(narrow: Narrow, store: Slices<'channels' | 'users'>): string {
  const topic = topicOf(narrow)
  if (topic) return topicName(topic.topic)
  const users = usersOf(narrow)
  if (users) return namesOf(store, users)
  const channelId = channelOf(narrow)
  if (channelId !== undefined && narrow.length === 1)
    return channelOfStore(store, channelId)?.name ?? t('channel.unknown')
  if (narrow.length === 0) return t('nav.feed')
  const [term] = narrow
  const named =
    narrow.length === 1 && !term!.negated && term!.operator === 'is' && namedFlags.get(String(term!.operand))
  if (named) return t(named)
  return narrow
    .map((one) => (one.operator === 'search' && !one.negated ? String(one.operand) : termText(one, store)))
    .join(' ')
}

const namedFlags = new Map<string, PlainId>([
  ['mentioned', 'nav.mentions'],
  ['starred', 'nav.starred'],
])

/** A condition of a search as its chip shows it. */
export function termText({ operator, operand, negated }: NarrowTerm, store: Slices<'channels' | 'users'>): string {
  return `${negated ? '-' : ''}${operator}: ${operandText(operator, operand, store)}`
}

/** Operators whose operands are users. */
const aboutUsers = new Set(['sender', 'dm', 'dm-including'])

function operandText(operator: string, operand: NarrowTerm['operand'], store: Slices<'channels' | 'users'>): string {
  if (operator === 'channel') return channelOfStore(store, Number(operand))?.name ?? String(operand)
  if (operator === 'topic' && operand === '') return t('topic.general')
  if (!aboutUsers.has(operator)) return String(operand)
  return [operand]
    .flat()
    .map((id) => store.users.byId.get(Number(id))?.full_name ?? String(id))
    .join(', ')
}
