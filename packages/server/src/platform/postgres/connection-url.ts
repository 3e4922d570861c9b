import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { port } from './settings.ts'

/** The longest path of a Unix socket on Linux. */
const longestSocketPath = 107

export interface Address {
  url: string
  close(): Promise<void>
}

/**
 * The connection string for `pg`. The socket is in the data folder, which only PostgreSQL's user may enter. If the path
 * is too long for a socket, it goes through a file descriptor that we hold open: always short, valid for every process
 * of this user, and gone when we exit.
 */
export async function openAddress(cluster: string, password: string): Promise<Address> {
  const isShort = Buffer.byteLength(`${cluster}/.s.PGSQL.${port}`) <= longestSocketPath
  if (isShort) return { url: urlFor(cluster, password), close: async () => {} }
  const folder = await open(cluster, constants.O_RDONLY | constants.O_DIRECTORY)
  return { url: urlFor(`/proc/${process.pid}/fd/${folder.fd}`, password), close: () => folder.close() }
}

/** With a host name that `host=` overrides, because URL parsers require one. */
function urlFor(folder: string, password: string): string {
  return `postgres://parley:${password}@localhost:${port}/parley?host=${encodeURIComponent(folder)}`
}
