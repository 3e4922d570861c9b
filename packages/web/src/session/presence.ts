import type { Session } from '@parley/client/session'

const interval = 60_000
const idleAfter = 5 * 60_000

/** Reports the viewer as active while they use this window, and as idle otherwise. */
export function reportPresence({ client }: Session): void {
  let lastInput = Date.now()
  for (const event of ['pointerdown', 'keydown', 'focus'])
    window.addEventListener(event, () => (lastInput = Date.now()))
  const report = () => {
    const isActive = !document.hidden && Date.now() - lastInput < idleAfter
    const params = { status: isActive ? 'active' : 'idle', new_user_input: isActive, ping_only: true } as const
    client.call('updatePresence', params).catch(() => {}) // the next report follows in a minute
  }
  report()
  setInterval(report, interval)
}
