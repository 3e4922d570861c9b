/** IP addresses in one IPv6 network share a rate limit, because such a network belongs to one customer. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [left, right] = address.split('::').map((half) => half.split(':').filter(Boolean)) as [string[], string[]?]
  const zeros = right ? Array<string>(8 - left.length - right.length).fill('0') : []
  return [...left, ...zeros, ...(right ?? [])].slice(0, 4).join(':')
}
