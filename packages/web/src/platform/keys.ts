import { type PlainId, t } from './i18n.ts'

/** Every key of the client. The listener and the table that `?` shows are both made from this list. */
export const keyTable = [
  ['search', ['/'], 'keys.search', 'keys.section.everywhere'],
  ['jump', ['Ctrl+k'], 'keys.jump', 'keys.section.everywhere'],
  ['help', ['?'], 'keys.help', 'keys.section.everywhere'],
  ['undo', ['Ctrl+z'], 'keys.undo', 'keys.section.everywhere'],
  ['home', ['Escape'], 'keys.home', 'keys.section.everywhere'],
  ['channels', ['q'], 'keys.channels', 'keys.section.everywhere'],
  ['people', ['w'], 'keys.people', 'keys.section.everywhere'],

  ['inbox', ['Shift+i'], 'keys.inbox', 'keys.section.goTo'],
  ['recent', ['t'], 'keys.recent', 'keys.section.goTo'],
  ['feed', ['a'], 'keys.feed', 'keys.section.goTo'],
  ['starred', ['*'], 'keys.starred', 'keys.section.goTo'],
  ['drafts', ['d'], 'keys.drafts', 'keys.section.goTo'],
  ['nextTopic', ['n'], 'keys.nextTopic', 'keys.section.goTo'],
  ['nextFollowed', ['Shift+n'], 'keys.nextFollowed', 'keys.section.goTo'],
  ['nextDirect', ['p'], 'keys.nextDirect', 'keys.section.goTo'],
  ['conversation', ['s'], 'keys.conversation', 'keys.section.goTo'],
  ['channel', ['Shift+s'], 'keys.channel', 'keys.section.goTo'],

  ['next', ['j', 'ArrowDown'], 'keys.next', 'keys.section.reading'],
  ['previous', ['k', 'ArrowUp'], 'keys.previous', 'keys.section.reading'],
  ['pageDown', ['Shift+j', 'PageDown', ' '], 'keys.pageDown', 'keys.section.reading'],
  ['pageUp', ['Shift+k', 'PageUp', 'Shift+ '], 'keys.pageUp', 'keys.section.reading'],
  ['last', ['Shift+g', 'End'], 'keys.last', 'keys.section.reading'],
  ['first', ['Home'], 'keys.first', 'keys.section.reading'],
  ['done', ['e'], 'keys.done', 'keys.section.reading'],
  ['open', ['Enter'], 'keys.open', 'keys.section.reading'],
  ['markUnread', ['Shift+u'], 'keys.markUnread', 'keys.section.reading'],
  ['muteTopic', ['Shift+m'], 'keys.muteTopic', 'keys.section.reading'],
  ['images', ['v'], 'keys.images', 'keys.section.reading'],

  ['reply', ['r', 'Enter'], 'keys.reply', 'keys.section.writing'],
  ['quote', ['>'], 'keys.quote', 'keys.section.writing'],
  ['forward', ['<'], 'keys.forward', 'keys.section.writing'],
  ['mention', ['@'], 'keys.mention', 'keys.section.writing'],
  ['newTopic', ['c'], 'keys.newTopic', 'keys.section.writing'],
  ['newDirect', ['x'], 'keys.newDirect', 'keys.section.writing'],
  ['send', ['Ctrl+Enter'], 'keys.send', 'keys.section.writing'],
  ['recipient', ['Ctrl+.'], 'keys.recipient', 'keys.section.writing'],
  ['bold', ['Ctrl+b'], 'keys.bold', 'keys.section.writing'],
  ['italic', ['Ctrl+i'], 'keys.italic', 'keys.section.writing'],
  ['link', ['Ctrl+Shift+l'], 'keys.link', 'keys.section.writing'],

  ['edit', ['e'], 'keys.edit', 'keys.section.message'],
  ['move', ['m'], 'keys.move', 'keys.section.message'],
  ['react', [':'], 'keys.react', 'keys.section.message'],
  ['like', ['+'], 'keys.like', 'keys.section.message'],
  ['firstReaction', ['='], 'keys.firstReaction', 'keys.section.message'],
  ['star', ['Ctrl+s'], 'keys.star', 'keys.section.message'],
  ['menu', ['i'], 'keys.menu', 'keys.section.message'],
  ['sender', ['u'], 'keys.sender', 'keys.section.message'],
  ['receipts', ['Shift+v'], 'keys.receipts', 'keys.section.message'],
  ['history', ['Shift+h'], 'keys.history', 'keys.section.message'],
  ['collapse', ['-'], 'keys.collapse', 'keys.section.message'],
] as const satisfies readonly (readonly [string, readonly string[], label: PlainId, section: PlainId])[]

export type Command = (typeof keyTable)[number][0]

/** Commands that the composer handles itself. */
const ofComposer = new Set<Command>(['send', 'recipient', 'bold', 'italic', 'link'])

/** The commands of a key, in the order in which they are tried. */
export function commandsOf(key: string): Command[] {
  const keys = (one: (typeof keyTable)[number]): readonly string[] => one[1]
  return keyTable.filter((one) => keys(one).includes(key) && !ofComposer.has(one[0])).map(([command]) => command)
}

export type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>

/** The name of a key in the table, such as `j`, `Shift+i`, `Ctrl+k` or `?`. */
export function keyName(press: KeyPress): string {
  const key = latinKey(press)
  const isNamedByShift = key.length === 1 && !/[a-z ]/i.test(key)
  const parts = [
    (press.ctrlKey || press.metaKey) && 'Ctrl',
    press.altKey && 'Alt',
    press.shiftKey && !isNamedByShift && 'Shift',
    key.length === 1 ? key.toLowerCase() : key,
  ]
  return parts.filter(Boolean).join('+')
}

const signs = new Map<string, readonly [plain: string, shifted: string]>([
  ['Slash', ['/', '?']],
  ['Period', ['.', '>']],
  ['Comma', [',', '<']],
  ['Semicolon', [';', ':']],
  ['Equal', ['=', '+']],
  ['Minus', ['-', '_']],
  ['Digit2', ['2', '@']],
  ['Digit8', ['8', '*']],
])

/** On layouts without Latin letters, the letter that an English keyboard has in this place. */
function latinKey({ key, code, shiftKey }: KeyPress): string {
  const isForeign = key.length === 1 && key.charCodeAt(0) > 126
  if (!isForeign) return key
  if (code.startsWith('Key')) return code.slice(3).toLowerCase()
  return signs.get(code)?.[shiftKey ? 1 : 0] ?? key
}

const symbols = new Map([
  ['ArrowDown', '↓'],
  ['ArrowUp', '↑'],
])

/** Keys whose print depends on the language. */
const named = new Map<string, PlainId>([
  ['Ctrl', 'key.ctrl'],
  ['Shift', 'key.shift'],
  ['Enter', 'key.enter'],
  ['Escape', 'key.escape'],
  [' ', 'key.space'],
  ['Home', 'key.home'],
  ['End', 'key.end'],
  ['PageUp', 'key.pageUp'],
  ['PageDown', 'key.pageDown'],
])

function printOf(key: string): string {
  const id = named.get(key)
  if (id) return t(id)
  return symbols.get(key) ?? (key.length === 1 ? key.toUpperCase() : key)
}

/** The keys as the table shows them: `Shift I`. */
export function keyLabel(key: string): string {
  return key
    .split('+')
    .map((part, index, parts) => (part === '' && index === parts.length - 1 ? '+' : part))
    .filter((part, index, parts) => part !== '' && !(part === '+' && parts[index - 1] === '+'))
    .map(printOf)
    .join(' ')
}
