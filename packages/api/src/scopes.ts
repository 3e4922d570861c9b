/** What a token may be allowed to do. Each scope stands alone: `send` does not include `read`. */
export const scopes = ['read', 'send', 'organize', 'account', 'administer'] as const
export type Scope = (typeof scopes)[number]

/** `full`: only sessions and the API key itself, because the operation reads or creates credentials. */
export type RequiredScope = Scope | 'full'

/** The scope of the write operations of each tag. */
const scopeOfWrites = new Map<string, Scope>([
  ['Messages', 'send'],
  ['Typing', 'send'],
  ['Drafts', 'send'],
  ['Scheduled messages', 'send'],
  ['Reminders', 'send'],
  ['Snippets', 'send'],
  ['Uploads', 'send'],
  ['Channels', 'organize'],
  ['Subscriptions', 'organize'],
  ['User groups', 'organize'],
  ['Emoji', 'organize'],
  ['Users', 'account'],
  ['Flags', 'account'],
  ['Topics', 'account'],
  ['Presence', 'account'],
  ['Push', 'account'],
  ['Profile fields', 'account'],
])

/** Invitations contain links with which anyone can join, with any role, so reading them needs the scope too. */
const scopeOfAll = new Map<string, Scope>([['Invitations', 'administer']])

interface Scoped {
  scope?: RequiredScope
  access: string
  method: string
  tag: string
}

/** The scope that a token needs for an operation. Operations of unknown tags are closed to tokens. */
export function scopeOf({ scope, access, method, tag }: Scoped): RequiredScope {
  const fixed = scope ?? scopeOfAll.get(tag)
  if (fixed) return fixed
  if (access === 'moderator' || access === 'admin' || access === 'owner') return 'administer'
  if (method === 'GET') return 'read'
  return scopeOfWrites.get(tag) ?? 'full'
}

/** Whether the operation takes an Idempotency-Key. Some operations only read although their method is POST. */
export function takesIdempotencyKey(operation: Scoped): boolean {
  return operation.method !== 'GET' && operation.access !== 'anyone' && scopeOf(operation) !== 'read'
}
