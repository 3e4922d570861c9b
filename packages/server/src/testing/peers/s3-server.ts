import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The keys that the test server accepts. */
export const s3Credentials = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' }

/** A real S3 server with one bucket, which checks signatures. */
export async function startS3Server(port = 0): Promise<{ filesUrl: string; port: number; stop(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-s3-'))
  const { default: S3rver } = await import('@20minutes/s3rver') // slow to load, and few tests need it
  const server = new S3rver({
    address: '127.0.0.1',
    port,
    silent: true,
    directory,
    vhostBuckets: false,
    configureBuckets: [{ name: 'parley' }],
  })
  const { port: opened } = await server.run()
  return {
    filesUrl: `s3://parley/test?endpoint=http://127.0.0.1:${opened}`,
    port: opened,
    async stop() {
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
