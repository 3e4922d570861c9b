import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Looks like a public IP address, but serves the metadata of cloud machines. */
const cloudInternal = ['168.63.129.16']
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** Parses an IP address; an IPv4 address written as IPv6 is unwrapped. */
function parse(text: string): Address | undefined {
  const bare = text.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined
}

/** Whether an IP address is on the public internet. Unknown ranges are not. */
export function isPublic(text: string): boolean {
  const address = parse(text)
  if (address?.range() !== 'unicast' || cloudInternal.includes(address.toString())) return false
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(globalUnicast)
}

/** What the operator allows besides the public internet: IP addresses, networks like 10.0.0.0/8, or host names. */
export class InternalHosts {
  readonly #networks: [Address, number][] = []
  readonly #names = new Set<string>()

  constructor(entries: string[]) {
    for (const entry of entries) {
      const network = networkOf(entry)
      if (network) this.#networks.push(network)
      else this.#names.add(entry.toLowerCase())
    }
  }

  /** Whether a host with this name and this IP address may be reached. */
  admit(name: string, text: string): boolean {
    const address = parse(text)
    if (!address) return false
    return (
      this.#names.has(name.toLowerCase()) ||
      this.#networks.some(
        ([network, bits]) => network.kind() === address.kind() && address.match(network as never, bits),
      )
    )
  }
}

function networkOf(entry: string): [Address, number] | undefined {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry)
  const address = parse(entry)
  return address && [address, address.kind() === 'ipv4' ? 32 : 128]
}
