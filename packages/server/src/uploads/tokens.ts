import { NoSuchFile } from '../platform/http/send-file.ts'
import type { Vault } from '../platform/secrets.ts'

/** What is needed to deliver a file. */
export interface UploadedFile {
  path_id: string
  content_type: string
}

const lifetimeMilliseconds = 60_000

/** A word that opens one file to whoever has it, for a minute. Nothing is stored: only we can make it. */
export function tokenFor(vault: Vault, realmId: number, { path_id, content_type }: UploadedFile): string {
  const word = { realmId, file: { path_id, content_type }, until: Date.now() + lifetimeMilliseconds }
  return vault.seal(JSON.stringify(word)).toString('base64url')
}

export function fileOfToken(vault: Vault, realmId: number, token: string): UploadedFile {
  const word = opened(vault, token)
  if (word?.realmId !== realmId || word.until < Date.now()) throw new NoSuchFile()
  return word.file
}

function opened(vault: Vault, token: string): { realmId: number; file: UploadedFile; until: number } | undefined {
  try {
    return JSON.parse(vault.open(Buffer.from(token, 'base64url')))
  } catch {
    return undefined // not one of ours
  }
}
