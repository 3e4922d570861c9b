import { createHmac } from 'node:crypto'

/** A Camo proxy. It fetches external images for readers, so that other servers do not learn their IP addresses. */
export interface MediaProxy {
  url: string
  key: string
}

/** The proxy's URL for an external URL. Signed, so that only we can make the proxy fetch something. */
export function proxiedUrl(proxy: MediaProxy, url: string): string {
  const signature = createHmac('sha1', proxy.key).update(url).digest('hex')
  return `${proxy.url}/${signature}/${Buffer.from(url).toString('hex')}`
}

/** Render options that load external images, videos and audio through the proxy. */
export function throughProxy(proxy: MediaProxy | undefined): { proxyUrl?: (url: string) => string } {
  return proxy ? { proxyUrl: (url) => proxiedUrl(proxy, url) } : {}
}
