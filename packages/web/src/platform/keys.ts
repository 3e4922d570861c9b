import { type PlainId, t } from './i18n.ts'

/** How far a key moves the choice in a list. */
export function listStep(key: string): number | undefined {
  return key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : undefined
}

/** Every key of the client. `help/key-table.ts` says what `?` shows for each. */
export const keyTable = {
  search: ['/'],
  searchHere: ['Ctrl+f'],
  jump: ['Ctrl+k'],
  help: ['?'],
  undo: ['Ctrl+z'],
  home: ['Escape'],
  channels: ['q'],
  people: ['w'],

  inbox: ['Shift+i'],
  recent: ['t'],
  feed: ['a'],
  starred: ['*'],
  drafts: ['d'],
  nextTopic: ['n'],
  nextFollowed: ['Shift+n'],
  nextDirect: ['p'],
  jumpToDate: ['Shift+d'],
  conversation: ['s'],
  channel: ['Shift+s'],

  next: ['j', 'ArrowDown'],
  previous: ['k', 'ArrowUp'],
  pageDown: ['Shift+j', 'PageDown', ' '],
  pageUp: ['Shift+k', 'PageUp', 'Shift+ '],
  last: ['Shift+g', 'End'],
  first: ['Home'],
  done: ['e'],
  open: ['Enter'],
  markUnread: ['Shift+u'],
  muteTopic: ['Shift+m'],
  images: ['v'],

  reply: ['r', 'Enter'],
  quote: ['>'],
  forward: ['<'],
  mention: ['@'],
  newTopic: ['c'],
  newDirect: ['x'],
  send: ['Ctrl+Enter'],
  recipient: ['Ctrl+.'],
  bold: ['Ctrl+b'],
  italic: ['Ctrl+i'],
  link: ['Ctrl+Shift+l'],

  edit: ['e'],
  move: ['m'],
  react: [':'],
  like: ['+'],
  firstReaction: ['='],
  star: ['Ctrl+s'],
  menu: ['i'],
  sender: ['u'],
  receipts: ['Shift+v'],
  history: ['Shift+h'],
  collapse: ['-'],
} as const satisfies Record<string, readonly string[]>

export type Command = keyof typeof keyTable

/** Commands that the composer handles itself. */
const ofComposer = new Set<Command>(['send', 'recipient', 'bold', 'italic', 'link'])

const commands = Object.entries(keyTable) as [Command, readonly string[]][]

/** The commands of a key, in the order in which they are tried. */
export function commandsOf(key: string): Command[] {
  return commands
    .filter(([command, keys]) => keys.includes(key) && !ofComposer.has(command))
    .map(([command]) => command)
}

/** The first key of a command. */
export function keyOf(command: Command): string {
  return keyTable[command][0]
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
