import { linkedUploads, type StoredUpload } from '../../conversations/messages/model/attachments.ts'
import type { Db } from '../../platform/db/pool.ts'
import { accessAgentMessage } from './agent-limits.ts'
import { type Agent, getFile, ToolRefusal } from './call-operation.ts'
import { warning } from './results.ts'

/** In bytes. Escaped as JSON, it is still less than what a result may have. */
const partSize = 12_000

interface Input {
  message_id: number
  file?: string
  offset?: number
}

/** A part of a text file. Only what the message claims is read, so that a link to a file of another channel shows nothing. */
export async function readFileText(agent: Agent, { message_id, file, offset = 0 }: Input, db: Db): Promise<string> {
  await accessAgentMessage(agent, message_id)
  const { path_id } = chosen(await linkedUploads(db, agent.realmId, message_id), file)
  const { bytes, size } = await getFile(agent, path_id, { start: offset, end: offset + partSize - 1 })
  const text = decoded(bytes)
  const next = offset + Buffer.byteLength(text)
  return JSON.stringify({
    warning,
    file: `/user_uploads/${path_id}`,
    size,
    text,
    ...(next < size && { next_offset: next }),
  })
}

function chosen(files: StoredUpload[], wanted: string | undefined): StoredUpload {
  const matching = files.filter(({ path_id }) => wanted === undefined || wanted.endsWith(`/user_uploads/${path_id}`))
  const [first, second] = matching
  if (!first) throw new ToolRefusal('This message links to no such file.')
  if (second) throw new ToolRefusal('This message links to several files. Choose one with file.')
  return first
}

/** A character that the end of the part cuts off belongs to the next part. */
function decoded(bytes: Buffer): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true })
    if (!text.includes('\0')) return text
  } catch {}
  throw new ToolRefusal('This file is not text in UTF-8.')
}
