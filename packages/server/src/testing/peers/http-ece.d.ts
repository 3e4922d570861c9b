declare module 'http_ece' {
  import type { ECDH } from 'node:crypto'

  interface Options {
    version: 'aes128gcm'
    privateKey: ECDH
    authSecret: Buffer
  }
  const ece: { decrypt(body: Buffer, options: Options): Buffer }
  export default ece
}
