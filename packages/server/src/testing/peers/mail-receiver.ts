import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { after } from 'node:test'

export interface ReceivedMail {
  from: string
  to: string
  /** As received: headers and parts. */
  source: string
}

export interface MailReceiver {
  url: string
  mail: ReceivedMail[]
  /** Responses to the next recipients instead of accepting them; null: never respond. */
  refusals: (string | null)[]
}

/** A receiving mail server with just enough SMTP. */
export async function newMailReceiver(): Promise<MailReceiver> {
  const receiver: MailReceiver = { url: '', mail: [], refusals: [] }
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    void converse(socket, receiver)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  receiver.url = `smtp://127.0.0.1:${(server.address() as { port: number }).port}`
  return receiver
}

async function converse(socket: Socket, { mail, refusals }: MailReceiver): Promise<void> {
  const say = (line: string) => void socket.write(`${line}\r\n`)
  let current: ReceivedMail = { from: '', to: '', source: '' }
  let isData = false
  say('220 test')
  for await (const line of createInterface({ input: socket })) {
    if (isData && line === '.') {
      isData = false
      mail.push(current)
      say('250 taken')
    } else if (isData) current.source += `${line.replace(/^\./, '')}\n`
    else if (/^MAIL FROM/i.test(line)) {
      current = { from: line, to: '', source: '' }
      say('250 ok')
    } else if (/^RCPT TO/i.test(line)) {
      current.to = line
      const refusal = refusals.shift()
      if (refusal !== null) say(refusal ?? '250 ok')
    } else if (/^DATA/i.test(line)) {
      isData = true
      say('354 go on')
    } else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n')
    else say('250 ok')
  }
}
