import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { errorCode, reasonOf, StartupError } from '../platform/postgres/startup-error.ts'

/** The port, if no other program has it, or a free one for 0. Processes that share a port do not notice other programs. */
export async function findPort(host: string, port: number): Promise<number> {
  const server = createServer().listen({ host, port })
  await once(server, 'listening').catch(failToListen(host, port))
  const { port: found } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return found
}

export function failToListen(host: string, port: number): (error: unknown) => never {
  return (error) => {
    throw new StartupError(cannotListen(errorCode(error), host, port, reasonOf(error)), { cause: error })
  }
}

function cannotListen(code: string, host: string, port: number, reason: string): string {
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is in use by another program: stop that one or set PORT (of a worker: WORKER_PORT) to another number.`
  if (code === 'EACCES')
    return `Port ${port} needs rights that this user does not have: set PORT to a number above 1023.`
  return `Parley cannot listen on ${host} (${reason}): set HOST to an address of this machine.`
}
