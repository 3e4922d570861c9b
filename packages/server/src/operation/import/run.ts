import { hash } from 'node:crypto'
import type pg from 'pg'
import type { Realm } from '../../callers/realm-state.ts'
import type { Context } from '../../context.ts'
import type { Archive } from '../../platform/archives/foreign-archive.ts'
import type { Plan } from './records/scan.ts'
import type { IdKind } from './rows/ids.ts'
import type { Source } from './source.ts'

export const threadChoices = ['a', 'b', 'c', 'd'] as const

/** The choices of an import; stored, so that a continued import keeps them. */
export interface ImportOptions {
  ownerEmail: string | null
  /** Whether roles above member come along. */
  roles: boolean
  /** Domains whose people are those with the same email here. */
  match: string[]
  threads: (typeof threadChoices)[number]
  /** Whether the import made the organization, and whether everything has the id that it has in the file. */
  isNew: boolean
  keepsIds: boolean
}

export interface Person {
  id: number
  fullName: string
  isActive: boolean
}

/** A channel as it is here. */
export interface ChannelPlace {
  id: number
  recipientId: number
  name: string
  isPrivate: boolean
}

/** What every import that is being loaded has. It writes with its own connection, whose statements may take long. */
export interface RunBase {
  client: pg.Client
  realm: Realm
  importId: number
}

/** One import of neutral records while it is being loaded. */
export interface Run extends RunBase {
  ctx: Context
  source: Source
  archive: Archive
  plan: Plan
  options: ImportOptions
  people: Map<string, Person>
  channels: Map<string, ChannelPlace>
  /** Custom emoji by name: with an image they also occur in texts. */
  emoji: Map<string, { id: number; url: string | null }>
  /** `user place` of everybody in a channel. */
  members: Set<string>
}

export type MapKind = IdKind | 'message'

export function hashOf(key: string): Buffer {
  return hash('sha256', key, 'buffer').subarray(0, 16)
}

export interface Mapped {
  id: number
  importId: number
}

/** What earlier imports, or an earlier part of this one, made of these keys. */
export async function findMapped(
  { client, realm }: Pick<RunBase, 'client' | 'realm'>,
  kind: MapKind,
  keys: string[],
): Promise<Map<string, Mapped>> {
  const { rows } = await client.query<{ position: number; new_id: number; import_id: number }>(
    `select k.position, m.new_id, m.import_id
       from unnest($3::bytea[]) with ordinality as k(key_hash, position)
       join import_map m on m.realm_id = $1 and m.kind = $2 and m.key_hash = k.key_hash`,
    [realm.id, kind, keys.map(hashOf)],
  )
  return new Map(
    rows.map(({ position, new_id, import_id }) => [keys[position - 1]!, { id: new_id, importId: import_id }]),
  )
}

export async function storeMapped(
  { realm, importId }: Pick<RunBase, 'realm' | 'importId'>,
  query: (text: string, values: unknown[]) => Promise<unknown>,
  kind: MapKind,
  made: [key: string, id: number][],
): Promise<void> {
  await query(
    `insert into import_map (realm_id, kind, key_hash, new_id, import_id)
     select $1, $2, key_hash, new_id, $3 from unnest($4::bytea[], $5::bigint[]) as made(key_hash, new_id)`,
    [realm.id, kind, importId, made.map(([key]) => hashOf(key)), made.map(([, id]) => id)],
  )
}

/** Runs work in a transaction of the import's connection. */
export async function inTransaction<T>({ client }: Pick<RunBase, 'client'>, work: () => Promise<T>): Promise<T> {
  await client.query('begin')
  try {
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

export function* chunksOf<T>(list: T[], size: number): Generator<T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size)
}
