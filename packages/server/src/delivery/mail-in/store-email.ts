import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { type Context, transactIn } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { MailRefused } from './mail-refused.ts'
import type { Mailbox } from './mailbox.ts'

declare module '../../platform/jobs/tasks.ts' {
  interface Tasks {
    deliver_incoming_email: { email_id: number }
  }
}

export const maxEmailBytes = 25 * 1024 * 1024
/** In this part of an email its Message-ID is looked for. */
const headBytes = 64 * 1024

/**
 * Stores an email with a job for each of its recipients. When this returns, it is on disk and cannot be lost; an email that
 * has come before is not stored again.
 */
export async function storeEmail(
  ctx: Context,
  mailboxes: Mailbox[],
  source: AsyncIterable<Buffer | string>,
): Promise<void> {
  const byRealm = [...Map.groupBy(mailboxes, ({ realmId }) => realmId)]
  let first: { path: string; identity: Buffer } | undefined
  for (const [realmId, to] of byRealm) {
    const path = `mail-in/${realmId}/${randomBytes(18).toString('base64url')}`
    const identity: Buffer = first ? await copy(ctx, first, path) : await write(ctx, path, source)
    first ??= { path, identity }
    await record(ctx, realmId, to, { path, identity })
  }
}

/** Writes the file and returns what identifies the email. */
async function write({ files }: Context, path: string, source: AsyncIterable<Buffer | string>): Promise<Buffer> {
  const head: Buffer[] = []
  const all = createHash('sha256')
  await files.put(path, Readable.from(watched(source, head, all)))
  const id = messageIdIn(Buffer.concat(head).toString('latin1'))
  return id === undefined ? all.digest() : createHash('sha256').update(id).digest()
}

async function copy({ files }: Context, first: { path: string; identity: Buffer }, path: string): Promise<Buffer> {
  const stored = await files.open(first.path)
  await files.put(path, stored!.read(), stored!.size)
  return first.identity
}

async function* watched(source: AsyncIterable<Buffer | string>, head: Buffer[], all: ReturnType<typeof createHash>) {
  let size = 0
  for await (const part of source) {
    const bytes = Buffer.from(part)
    if (size < headBytes) head.push(bytes.subarray(0, headBytes - size))
    size += bytes.length
    if (size > maxEmailBytes) throw new MailRefused(552, '5.3.4', 'The email is larger than 25 MiB.')
    all.update(bytes)
    yield bytes
  }
}

/** The Message-ID among the headers, which end at the first empty line. */
export function messageIdIn(head: string): string | undefined {
  const headers = head.split(/\r?\n\r?\n/, 1)[0]!.replace(/\r?\n[ \t]/g, ' ')
  const line = headers.split(/\r?\n/).find((one) => /^message-id:/i.test(one))
  return line?.slice('message-id:'.length).trim() || undefined
}

async function record(
  ctx: Context,
  realmId: number,
  mailboxes: Mailbox[],
  { path, identity }: { path: string; identity: Buffer },
): Promise<void> {
  const stored = await transactIn(ctx, realmId, async (tx) => {
    let count = 0
    for (const mailbox of mailboxes) if (await insert(tx, mailbox, path, identity)) count++
    return count
  })
  if (stored === 0) await ctx.files.delete(path)
}

/** False: the same email came before. */
async function insert(tx: Tx, { key, columns }: Mailbox, path: string, identity: Buffer): Promise<boolean> {
  const digest = createHash('sha256').update(key).update(identity).digest()
  const row = await tx.db
    .insertInto('incoming_emails')
    .values({ realm_id: tx.realmId, ...columns, digest, path })
    .onConflict((conflict) => conflict.columns(['realm_id', 'digest']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (row) await tx.enqueue('deliver_incoming_email', { email_id: row.id })
  return row !== undefined
}
