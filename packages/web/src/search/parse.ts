import type { Narrow, NarrowTerm } from '@parley/client/messages/narrow'
import type { Slices } from '@parley/client/store/store'

const operators = new Set(['channel', 'topic', 'sender', 'has', 'is', 'near', 'dm', 'id'])

/** Reads what was typed: `channel:design has:link budget "exact words" -is:resolved`. */
export function parseSearch(text: string, store: Slices<'channels' | 'users'>): Narrow {
  const words: string[] = []
  const terms: NarrowTerm[] = []
  for (const [piece] of text.matchAll(/-?\w+:"[^"]*"|"[^"]*"|\S+/g)) {
    const found = /^(-?)(\w+):(.+)$/.exec(piece)
    if (found && operators.has(found[2]!))
      terms.push(termOf(found[2]!, found[3]!.replace(/^"|"$/g, ''), found[1] === '-', store))
    else words.push(piece)
  }
  return words.length === 0 ? terms : [...terms, { operator: 'search', operand: words.join(' ') }]
}

function termOf(operator: string, text: string, negated: boolean, store: Slices<'channels' | 'users'>): NarrowTerm {
  return { operator, operand: operandOf(operator, text, store), ...(negated && { negated }) }
}

function operandOf(operator: string, text: string, store: Slices<'channels' | 'users'>): NarrowTerm['operand'] {
  const name = text.toLowerCase()
  if (operator === 'channel')
    return (
      [...store.channels.subscribed.values(), ...store.channels.neverSubscribed.values()].find(
        (one) => one.name.toLowerCase() === name,
      )?.stream_id ?? text
    )
  if (operator === 'sender')
    return (
      [...store.users.byId.values()].find(({ full_name, email }) =>
        [full_name, email].some((one) => one.toLowerCase() === name),
      )?.user_id ?? text
    )
  return text
}
