import assert from 'node:assert/strict'
import { transactIn } from '../../context.ts'
import { addTotp } from '../../identity/second-factors/actions.ts'
import { codeAt, currentStep, newSecret } from '../../identity/second-factors/totp.ts'
import type { Actor } from '../actor.ts'
import type { World } from '../world.ts'

/** An authenticator app that was added to an account. */
export interface Authenticator {
  recoveryCodes: string[]
  /** A code that was not used yet. The server accepts codes one step early, so there are two of them. */
  code(): string
}

export async function addAuthenticator({ ctx, realmId }: World, { id }: Actor): Promise<Authenticator> {
  const secret = newSecret()
  const first = currentStep() - 1
  const steps = [first + 1, first + 2]
  const recoveryCodes = await transactIn(ctx, realmId, (tx) =>
    addTotp(tx, ctx.vault, id, secret, codeAt(secret, first)),
  )
  return {
    recoveryCodes,
    code() {
      const step = steps.shift()
      assert.ok(step !== undefined, 'no unused code is left')
      return codeAt(secret, step)
    },
  }
}

/** The secret that a page shows for a new authenticator app. */
export function secretIn(body: string): Buffer {
  const letters = /<strong>([A-Z2-7 ]+)<\/strong>/.exec(body)![1]!.replaceAll(' ', '')
  const bits = [...letters].map((one) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(one).toString(2).padStart(5, '0'))
  return Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
