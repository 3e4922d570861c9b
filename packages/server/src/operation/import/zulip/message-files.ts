import type { Archive } from '../../../platform/archives/foreign-archive.ts'
import { jsonRows } from '../json-rows.ts'
import type { Row } from '../rows/row-values.ts'

/** A message with what everybody's copy of it says. */
export interface CopiedMessage {
  row: Row
  id: number
  copies: [user: number, mask: number][]
}

/** All messages in the order of the files, which is that of their ids. */
export async function* messagesIn(archive: Archive): AsyncGenerator<CopiedMessage> {
  for (let number = 1; ; number++) {
    const name = `messages-${String(number).padStart(6, '0')}.json`
    const file = await archive.find(name)
    if (!file) return
    yield* await readFile(file.stream(), name)
  }
}

async function readFile(...from: Parameters<typeof jsonRows>): Promise<CopiedMessage[]> {
  const messages = new Map<unknown, CopiedMessage>()
  const early: Row[] = []
  for await (const { table, row } of jsonRows(...from)) {
    if (table === 'zerver_message' && typeof row.id === 'number') messages.set(row.id, { row, id: row.id, copies: [] })
    else if (table === 'zerver_usermessage' && !addCopy(messages, row)) early.push(row)
  }
  for (const row of early) addCopy(messages, row)
  return [...messages.values()].sort((a, b) => a.id - b.id)
}

function addCopy(messages: Map<unknown, CopiedMessage>, { message, user_profile, flags_mask }: Row): boolean {
  const found = messages.get(message)
  if (!found || typeof user_profile !== 'number') return false
  found.copies.push([user_profile, typeof flags_mask === 'number' ? flags_mask : 0])
  return true
}
