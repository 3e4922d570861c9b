import type { IntegrationObject } from '@parley/api/delivery/hooks'

/** Icons ship with the server, as SVG, and are shown as images, in which no script runs. */
export function IntegrationIcon({ of }: { of: IntegrationObject | undefined }) {
  if (!of) return null
  return <img className="hook-icon" alt="" src={`data:image/svg+xml,${encodeURIComponent(of.icon)}`} />
}
