import { readFileSync } from 'node:fs'
import { connect, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectSecurely } from 'node:tls'
import type { Client } from 'ldapts'
import type { Config } from '../../../config.ts'

export type LdapDirectory = Config['signOn']['ldap'][number]
export type Library = typeof import('ldapts')

/** A conversation with one server of a directory. */
export interface Conversation {
  library: Library
  client: Client
}

/** No server of the directory gives a usable answer. */
export class DirectoryFailed extends Error {}

/** The server accepted no connection, or did not answer in time. */
class NotReached extends Error {}

const defaultSeconds = 5
/** A server that cannot be reached is left out for this long, so that sign-ins do not wait for it one after the other. */
const restMilliseconds = 5000
const restingUntil = new Map<string, number>()

/** Talks with the first server that answers, as the service account. Redirects to other servers are never followed. */
export async function withDirectory<T>(
  directory: LdapDirectory,
  work: (conversation: Conversation) => Promise<T>,
): Promise<T> {
  const { timeout_seconds = defaultSeconds } = directory
  const library = await import('ldapts')
  const reasons: string[] = []
  for (const url of directory.urls) {
    const server = [url, directory.start_tls, directory.ca_file].join(' ')
    if ((restingUntil.get(server) ?? 0) > Date.now()) continue
    try {
      return await converse(library, directory, url, timeout_seconds * 1000, work)
    } catch (error) {
      // What a user can cause must not keep the others out: an error of the server, or that it ends the connection.
      if (error instanceof NotReached) restingUntil.set(server, Date.now() + restMilliseconds)
      reasons.push(`${url}: ${(error as Error).message}`)
    }
  }
  throw new DirectoryFailed(reasons.join('; ') || 'all servers failed a moment ago')
}

async function converse<T>(
  library: Library,
  directory: LdapDirectory,
  url: string,
  milliseconds: number,
  work: (conversation: Conversation) => Promise<T>,
): Promise<T> {
  const { client, isConnected, close } = open(library, directory, url)
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new NotReached(`no answer within ${milliseconds / 1000} seconds`)), milliseconds)
  })
  const talk = async () => {
    if (directory.start_tls) await client.startTLS(tlsOptions(directory, url))
    await bindAsService({ library, client }, directory)
    return work({ library, client })
  }
  try {
    return await Promise.race([talk(), deadline])
  } catch (error) {
    throw isConnected() ? error : new NotReached((error as Error).message)
  } finally {
    clearTimeout(timer)
    close()
  }
}

/** Without a service account, the directory is searched anonymously. */
export async function bindAsService({ client }: Conversation, { bind_dn = '', bind_password = '' }: LdapDirectory) {
  await client.bind(bind_dn, bind_password)
}

/** The library connects again without TLS and without signing in if a connection was lost; ours may connect once only. */
function open({ Client }: Library, directory: LdapDirectory, url: string) {
  let socket: Socket | undefined
  let isConnected = false
  const once = (create: () => Socket) => {
    if (socket) throw new Error('the connection was lost')
    socket = create().once('connect', () => {
      isConnected = true
    })
    return socket
  }
  const client = new Client({
    url,
    ...(url.startsWith('ldaps:') && { tlsOptions: tlsOptions(directory, url) }),
    createConnection: ((port: number, host: string) => once(() => connect(port, host))) as never,
    createSecureConnection: ((...args: Parameters<typeof connectSecurely>) =>
      directory.start_tls ? connectSecurely(...args) : once(() => connectSecurely(...args))) as never,
  })
  return { client, isConnected: () => isConnected, close: () => socket?.destroy() }
}

function tlsOptions({ ca_file }: LdapDirectory, url: string): ConnectionOptions {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  return {
    host,
    minVersion: 'TLSv1.2',
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca_file !== undefined && { ca: readFileSync(ca_file) }),
  }
}
