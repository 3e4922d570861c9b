import { batched } from '../platform/batch-loader.ts'
import type { Tx } from './transact.ts'

type Scope = Pick<Tx, 'db' | 'realmId'>

/**
 * A step of acts that share a transaction: those that reach it in the same turn take it together, with one statement for
 * all of them. `run` returns one value per key. Their order among other statements of the turn is not defined.
 */
export function sharedStep<Key, Value>(
  run: (tx: Scope, keys: Key[]) => Promise<Value[]>,
): (tx: Pick<Tx, 'db' | 'realmId' | 'steps'>, key: Key) => Promise<Value> {
  return ({ db, realmId, steps }, key) => {
    const known = steps.get(run) as ((key: Key) => Promise<Value>) | undefined
    const step = known ?? batched((keys: Key[]) => run({ db, realmId }, keys), { defer: process.nextTick })
    steps.set(run, step)
    return step(key)
  }
}
