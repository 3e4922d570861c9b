/** Every key of the client. The listener and the table that `?` shows are both made from this list. */
export const keyTable = [
  ['search', ['/', 'Ctrl+k'], 'Search or jump to', 'Everywhere'],
  ['help', ['?'], 'Show these keys', 'Everywhere'],
  ['undo', ['Ctrl+z'], 'Undo the last action', 'Everywhere'],
  ['home', ['Escape'], 'Go to your start screen', 'Everywhere'],
  ['channels', ['q'], 'Find a channel', 'Everywhere'],
  ['people', ['w'], 'Find a person', 'Everywhere'],

  ['inbox', ['Shift+i'], 'Inbox', 'Go to'],
  ['recent', ['t'], 'Recent conversations', 'Go to'],
  ['feed', ['a'], 'All messages', 'Go to'],
  ['starred', ['*'], 'Starred messages', 'Go to'],
  ['drafts', ['d'], 'Drafts', 'Go to'],
  ['nextTopic', ['n'], 'Next unread topic', 'Go to'],
  ['nextFollowed', ['Shift+n'], 'Next unread topic you follow', 'Go to'],
  ['nextDirect', ['p'], 'Next unread direct conversation', 'Go to'],
  ['conversation', ['s'], 'Conversation of the message', 'Go to'],
  ['channel', ['Shift+s'], 'Channel of the message', 'Go to'],

  ['next', ['j', 'ArrowDown'], 'Next message or conversation', 'Reading'],
  ['previous', ['k', 'ArrowUp'], 'Previous message or conversation', 'Reading'],
  ['pageDown', ['Shift+j', 'PageDown', ' '], 'Scroll down', 'Reading'],
  ['pageUp', ['Shift+k', 'PageUp', 'Shift+ '], 'Scroll up', 'Reading'],
  ['last', ['Shift+g', 'End'], 'Last message', 'Reading'],
  ['first', ['Home'], 'First message shown', 'Reading'],
  ['done', ['e'], 'In the inbox: done', 'Reading'],
  ['open', ['Enter'], 'In the inbox: open the conversation', 'Reading'],
  ['markUnread', ['Shift+u'], 'Mark as unread from here', 'Reading'],
  ['muteTopic', ['Shift+m'], 'Mute or unmute the topic', 'Reading'],
  ['images', ['v'], 'Open the image of the message', 'Reading'],

  ['reply', ['r', 'Enter'], 'Reply', 'Writing'],
  ['quote', ['>'], 'Quote and reply', 'Writing'],
  ['mention', ['@'], 'Reply and mention the author', 'Writing'],
  ['newTopic', ['c'], 'New message in a channel', 'Writing'],
  ['newDirect', ['x'], 'New direct message', 'Writing'],
  ['send', ['Ctrl+Enter'], 'Send, also with Enter if you chose so', 'Writing'],
  ['bold', ['Ctrl+b'], 'Bold', 'Writing'],
  ['italic', ['Ctrl+i'], 'Italic', 'Writing'],
  ['link', ['Ctrl+Shift+l'], 'Link', 'Writing'],

  ['edit', ['e'], 'Edit your message', 'Message'],
  ['move', ['m'], 'Move messages or the topic', 'Message'],
  ['react', [':'], 'Add a reaction', 'Message'],
  ['like', ['+'], 'React with 👍', 'Message'],
  ['star', ['Ctrl+s'], 'Star', 'Message'],
  ['menu', ['i'], 'More actions', 'Message'],
  ['sender', ['u'], 'About the author', 'Message'],
  ['receipts', ['Shift+v'], 'Who read it', 'Message'],
  ['history', ['Shift+h'], 'Edit history', 'Message'],
  ['collapse', ['-'], 'Collapse or expand', 'Message'],
] as const satisfies readonly (readonly [string, readonly string[], string, string])[]

export type Command = (typeof keyTable)[number][0]

/** Commands that the composer handles itself. */
const ofComposer = new Set<Command>(['send', 'bold', 'italic', 'link'])

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
  ['Escape', 'Esc'],
  [' ', 'Space'],
])

/** The keys as the table shows them: `Shift I`. */
export function keyLabel(key: string): string {
  return key
    .split('+')
    .map((part, index, parts) => (part === '' && index === parts.length - 1 ? '+' : part))
    .filter((part, index, parts) => part !== '' && !(part === '+' && parts[index - 1] === '+'))
    .map((part) => symbols.get(part) ?? (part.length === 1 ? part.toUpperCase() : part))
    .join(' ')
}
