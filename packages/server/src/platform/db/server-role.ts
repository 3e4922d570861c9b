import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { connectToPrimary } from './database-hosts.ts'

/** The role that serves requests on the embedded database; the owner only migrates. */
export const serverRole = 'parley_server'

/** Tables where the server may only insert, or only read: their history cannot be rewritten through it. */
const restricted = {
  audit_log: 'update, delete',
  audit_chains: 'insert, update, delete',
  migrations: 'insert, update, delete',
}

/** Lets a role read and write rows. It owns nothing, so it can change neither tables nor functions. */
export async function grantServing(owner: pg.Pool, role: string): Promise<void> {
  const grantee = pg.escapeIdentifier(role)
  const schemas = 'schema public, jobs'
  const revoked = Object.entries(restricted).map(([table, rights]) => `revoke ${rights} on ${table} from ${grantee}`)
  await owner.query(`
    grant usage on ${schemas} to ${grantee};
    grant select, insert, update, delete on all tables in ${schemas} to ${grantee};
    grant usage, select on all sequences in ${schemas} to ${grantee};
    grant execute on all functions in ${schemas} to ${grantee};
    ${revoked.join(';')}`)
}

/**
 * Creates the serving role, or sets a new password, and returns its connection URL. The password is not stored. It cannot be
 * guessed, so hashing it many times would only make every new connection slower.
 */
export async function createServerRole(owner: pg.Pool, ownerUrl: string): Promise<string> {
  const password = randomBytes(24).toString('hex')
  await owner.query(`
    select set_config(name, '1', true) from pg_settings where name = 'scram_iterations';
    do $$ begin
      if not exists (select from pg_roles where rolname = '${serverRole}') then create role ${serverRole}; end if;
    end $$;
    alter role ${serverRole} with login nosuperuser nocreatedb nocreaterole password '${password}'`)
  await grantServing(owner, serverRole)
  const url = new URL(ownerUrl)
  url.username = serverRole
  url.password = password
  return url.toString()
}

/** The role that a connection string uses. */
export async function roleOf(url: string): Promise<string> {
  const client = await connectToPrimary(url)
  try {
    const { rows } = await client.query<{ role: string }>('select current_user as role')
    return rows[0]!.role
  } finally {
    await client.end().catch(() => {})
  }
}
