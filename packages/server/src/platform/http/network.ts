/** Neighbours in one IPv6 network share an allowance; such a network is one customer's. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [left, right] = address.split('::').map((half) => half.split(':').filter(Boolean)) as [string[], string[]?]
  const zeros = right ? Array<string>(8 - left.length - right.length).fill('0') : []
  return [...left, ...zeros, ...(right ?? [])].slice(0, 4).join(':')
}
