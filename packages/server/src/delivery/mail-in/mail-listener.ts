import { once } from 'node:events'
import type { AddressInfo, ListenOptions } from 'node:net'
import { finished } from 'node:stream/promises'
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server'
import type { MailListener } from '../../config.ts'
import type { Context } from '../../context.ts'
import { MailRefused } from './mail-refused.ts'
import { accessMailbox, checkSender } from './mailboxes.ts'
import { maxEmailBytes, storeEmail } from './store-email.ts'

const mostConnections = 100
const mostRecipients = 50
const idleMilliseconds = 30_000
/** What a connection gets to end when the server stops. */
const closeMilliseconds = 2000

export interface Listening {
  port: number
  close(): Promise<void>
}

/** Accepts emails from a mail server. An email is confirmed when it is on disk; what is not confirmed is sent again. */
export async function listenForMail(
  ctx: Context,
  { protocol, host, port }: MailListener,
  processes = 1,
): Promise<Listening> {
  const { SMTPServer } = await import('smtp-server')
  const server = new SMTPServer({
    lmtp: protocol === 'lmtp',
    name: ctx.config.mailIn!.domain,
    banner: 'Parley',
    disabledCommands: ['AUTH', 'STARTTLS'],
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    size: maxEmailBytes,
    maxClients: mostConnections,
    socketTimeout: idleMilliseconds,
    closeTimeout: closeMilliseconds,
    onRcptTo: ({ address }, session, done) => answer(ctx, done, () => checkRecipient(ctx, address, session)),
    onData: (stream, session, done) => answer(ctx, done, () => accept(ctx, stream, session)),
  })
  const options: ListenOptions = { host, port, ...(processes > 1 && { reusePort: true, exclusive: true }) }
  const listener = server.listen(options)
  await once(listener, 'listening')
  server.on('error', (error) => ctx.log.warn({ err: error }, 'a connection of the mail server failed'))
  return {
    port: (listener.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** What is not about the email itself is our fault: the mail server tries again later. */
function answer({ log }: Context, done: (error?: Error | null) => void, work: () => Promise<void>): void {
  work().then(
    () => done(),
    (error: unknown) => {
      if (!(error instanceof MailRefused)) log.error({ err: error }, 'an email could not be accepted')
      const known = error instanceof MailRefused ? error : new MailRefused(451, '4.3.0', 'Not now; try again later.')
      done(Object.assign(new Error(`${known.status} ${known.message}`), { responseCode: known.code }))
    },
  )
}

async function checkRecipient(ctx: Context, address: string, { envelope }: SMTPServerSession): Promise<void> {
  if (envelope.rcptTo.length >= mostRecipients)
    throw new MailRefused(452, '4.5.3', 'Too many recipients for one email.')
  checkSender(envelope.mailFrom ? envelope.mailFrom.address : '', await accessMailbox(ctx, address))
}

/** The rest of an email that is refused has to be read, too. */
async function accept(ctx: Context, stream: SMTPServerDataStream, { envelope }: SMTPServerSession): Promise<void> {
  try {
    const mailboxes = []
    for (const { address } of envelope.rcptTo) mailboxes.push(await accessMailbox(ctx, address))
    await storeEmail(ctx, mailboxes, stream.iterator({ destroyOnReturn: false }))
  } finally {
    if (!stream.readableEnded) await finished(stream.resume()).catch(() => {}) // the connection is gone
  }
}
