import { setTimeout } from 'node:timers/promises'
import { type Config, readConfig } from '../../config.ts'
import { resealAll } from '../../operation/secrets/reseal.ts'
import { StartupError } from '../../platform/postgres/startup-error.ts'
import {
  ageOfSecretFile,
  newSecret,
  readSecretFile,
  type Secrets,
  writeSecretFile,
} from '../../platform/secret-file.ts'
import { refreshMilliseconds } from '../../platform/secrets.ts'
import { withContext } from '../open-context.ts'

/** Seals everything with a new key. The old one can still be read, until `removeOldSecrets`. */
export async function rotateSecret(): Promise<void> {
  const config = readConfig('production')
  if (config.secretKey === undefined) await addSecret(config)
  else if (config.oldSecretKeys.length === 0) throw new StartupError(ownKey)
  await reseal()
  console.log('Back up now: a backup from before has only the old key.')
  console.log(
    config.secretKey === undefined
      ? 'Servers use the new key within a minute. In a week, when nothing needs the old key: parley secret remove-old'
      : 'In a week, when nothing needs them, remove OLD_SECRET_KEYS and restart.',
  )
}

const ownKey =
  'SECRET_KEY is set: set it to a new key and OLD_SECRET_KEYS to the old one, restart every server, and repeat this.'

/** A key from an earlier attempt is used: it may have sealed something. */
async function addSecret({ dataDir }: Config): Promise<void> {
  await withContext(async () => {}) // the key that is there must be the right one
  const secrets = await readSecretFile(dataDir)
  if (secrets.length > 1) return console.log('Continuing with the newest key in secret.key.')
  await writeSecretFile(dataDir, [newSecret(), ...secrets])
  await setTimeout(refreshMilliseconds.toOpen) // from now on, servers that lack the key read the file again
}

async function reseal(): Promise<void> {
  const { resealed, unreadable } = await withContext(resealAll, { anySecret: true })
  console.log(`Sealed ${resealed} values with the new key.`)
  if (unreadable > 0)
    throw new StartupError(`${unreadable} values cannot be read with any key: "parley secret replace" replaces them.`)
}

const graceSeconds = 120

/** Removes the keys that were replaced, once nothing is sealed with them. */
export async function removeOldSecrets(): Promise<void> {
  const { secretKey, dataDir } = readConfig('production')
  if (secretKey !== undefined) throw new StartupError('SECRET_KEY is set: remove OLD_SECRET_KEYS and restart.')
  const [current, ...old] = await readSecretFile(dataDir)
  if (old.length === 0) throw new StartupError('There is no old key.')
  if ((await ageOfSecretFile(dataDir)) < graceSeconds)
    throw new StartupError('Servers may still seal with the old key: repeat this in two minutes.')
  await reseal()
  await writeSecretFile(dataDir, [current] satisfies Secrets)
  console.log('Removed the old key. Links in emails and sign-ins from before the rotation no longer work.')
}
