import type { Database } from '../../platform/db/pool.ts'
import { one } from '../../platform/db/query.ts'
import type { Vault } from '../../platform/secrets.ts'
import { exportKeys, importKeys, newVapidKeys, type VapidKeys } from '../../platform/web-push/vapid.ts'

interface Deps {
  db: Database
  vault: Vault
}

/** The server's key pair. The first process that needs it creates it; it never changes, because browsers keep it. */
export class PushKeys {
  readonly #deps: Deps
  #known: VapidKeys | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async read(): Promise<VapidKeys> {
    const { db, vault } = this.#deps
    this.#known ??= importKeys(vault.open((await findKeys(db)) ?? (await createKeys(this.#deps))))
    return this.#known
  }
}

async function findKeys(db: Database): Promise<Buffer | undefined> {
  const row = await db.selectFrom('vapid_keys').select('private_key_sealed').executeTakeFirst()
  return row?.private_key_sealed
}

/** Of several processes that create keys at once, the first one decides for all. */
async function createKeys({ db, vault }: Deps): Promise<Buffer> {
  const keys = newVapidKeys()
  await db
    .insertInto('vapid_keys')
    .values({ public_key: keys.publicKey, private_key_sealed: vault.seal(exportKeys(keys)) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const stored = await one<{ sealed: Buffer }>(db)`select private_key_sealed as sealed from vapid_keys`
  return stored.sealed
}
