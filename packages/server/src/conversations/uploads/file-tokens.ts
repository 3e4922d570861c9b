import { NoSuchFile } from '../../platform/http/send-file.ts'
import type { Vault } from '../../platform/secrets.ts'

/** The data needed to deliver a file. */
export interface UploadedFile {
  path_id: string
  content_type: string
}

interface TokenContent {
  realmId: number
  file: UploadedFile
  until: number
}

const lifetimeMilliseconds = 60_000

/** A token that gives its bearer access to one file for a minute. It is encrypted, so nothing has to be stored. */
export function tokenFor(vault: Vault, realmId: number, { path_id, content_type }: UploadedFile): string {
  const content: TokenContent = { realmId, file: { path_id, content_type }, until: Date.now() + lifetimeMilliseconds }
  return vault.sealToken('file', content)
}

export function fileOfToken(vault: Vault, realmId: number, token: string): UploadedFile {
  const content = vault.openToken('file', token) as TokenContent | undefined
  if (content?.realmId !== realmId || content.until < Date.now()) throw new NoSuchFile()
  return content.file
}
