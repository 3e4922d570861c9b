import { Socket } from 'node:net'
import type pg from 'pg'
import { StartupError } from '../postgres/startup-error.ts'

interface Parts {
  readyForQuery: boolean
  connection: { stream: Socket; parsedStatements: Record<string, string> }
}

const partsOf = (client: pg.Client | pg.PoolClient) => client as unknown as Parts

export function streamOf(client: pg.Client): Socket {
  return partsOf(client).connection.stream
}

export function isReady(client: pg.Client): boolean {
  return partsOf(client).readyForQuery
}

/** The texts of the prepared statements of a connection, by name. */
export function statementsOf(client: pg.PoolClient): Record<string, string> {
  return partsOf(client).connection.parsedStatements
}

/** These fields are private: another version of `pg` may not have them. Called for each connection when it is open. */
export function requireDriverParts(client: pg.Client): void {
  const { connection, readyForQuery } = partsOf(client)
  const isKnown =
    connection?.stream instanceof Socket &&
    typeof connection.parsedStatements === 'object' &&
    typeof readyForQuery === 'boolean'
  if (!isKnown) throw new StartupError('This version of pg is not the one that Parley was made for: run npm ci.')
}
