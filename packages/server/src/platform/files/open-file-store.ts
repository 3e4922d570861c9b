import { join } from 'node:path'
import type { FileStore } from './file-store.ts'
import { LocalFiles } from './local.ts'
import type { S3Location } from './s3/location.ts'
import { S3Files } from './s3/s3-files.ts'

/** The store that the operator chose: a bucket, or a folder in DATA_DIR. */
export function openFileStore(
  { files, dataDir }: { files: S3Location | undefined; dataDir: string },
  log: (message: string) => void,
): FileStore {
  return files ? new S3Files(files, log) : new LocalFiles(join(dataDir, 'files'))
}
