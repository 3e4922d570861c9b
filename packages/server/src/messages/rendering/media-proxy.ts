import { createHmac } from 'node:crypto'

/** A server of the Camo kind, which fetches pictures for readers so that strangers learn nothing about them. */
export interface MediaProxy {
  url: string
  key: string
}

/** Where the proxy serves what lies at the address. Signed, so that it fetches for nobody else. */
export function proxiedUrl(proxy: MediaProxy, address: string): string {
  const signature = createHmac('sha1', proxy.key).update(address).digest('hex')
  return `${proxy.url}/${signature}/${Buffer.from(address).toString('hex')}`
}

/** Renders external pictures, videos and sounds as coming through the proxy. */
export function throughProxy(proxy: MediaProxy | undefined): { proxyUrl?: (address: string) => string } {
  return proxy ? { proxyUrl: (address) => proxiedUrl(proxy, address) } : {}
}
