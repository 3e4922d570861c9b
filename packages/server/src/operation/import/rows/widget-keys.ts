import type { Ids } from './ids.ts'
import type { Row } from './row-values.ts'

export function isPlain({ id, content, msg_type }: Row): boolean {
  return (
    typeof content === 'string' &&
    typeof msg_type === 'string' &&
    typeof id === 'number' &&
    Number.isSafeInteger(id) &&
    id > 0
  )
}

/** Options that people added are named by the id of the user, and tasks too: `12,0`, and `0,12`. */
export function withNewKeys(content: string, ids: Ids): string {
  const key = keyIn(content)
  const [, first, second] = /^(\d+),(\d+)$/.exec(key?.text ?? '') ?? []
  if (!key || first === undefined) return content
  const user = ids.find('user', Number(key.isVote ? first : second))
  if (user === undefined) return content
  return content.replace(`"${key.text}"`, key.isVote ? `"${user},${second}"` : `"${first},${user}"`)
}

function keyIn(content: string): { text: string; isVote: boolean } | undefined {
  try {
    const { type, key } = JSON.parse(content) as { type?: unknown; key?: unknown }
    return typeof key === 'string' ? { text: key, isVote: type === 'vote' } : undefined
  } catch {
    return undefined
  }
}
