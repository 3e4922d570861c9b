import { NoSuchFile } from '../platform/http/send-file.ts'
import type { Vault } from '../platform/secrets.ts'

/** The data needed to deliver a file. */
export interface UploadedFile {
  path_id: string
  content_type: string
}

const lifetimeMilliseconds = 60_000

/** A token that gives its bearer access to one file for a minute. It is encrypted, so nothing has to be stored. */
export function tokenFor(vault: Vault, realmId: number, { path_id, content_type }: UploadedFile): string {
  const content = { realmId, file: { path_id, content_type }, until: Date.now() + lifetimeMilliseconds }
  return vault.seal(JSON.stringify(content)).toString('base64url')
}

export function fileOfToken(vault: Vault, realmId: number, token: string): UploadedFile {
  const content = opened(vault, token)
  if (content?.realmId !== realmId || content.until < Date.now()) throw new NoSuchFile()
  return content.file
}

function opened(vault: Vault, token: string): { realmId: number; file: UploadedFile; until: number } | undefined {
  try {
    return JSON.parse(vault.open(Buffer.from(token, 'base64url')))
  } catch {
    return undefined // not encrypted by this server
  }
}
