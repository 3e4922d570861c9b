import type { Session } from '@parley/client/session/session'

const interval = 60_000
const idleAfter = 5 * 60_000

/** Reports the viewer as active while they use this window, and as idle otherwise. The answer says who else is active. */
export function reportPresence(session: Session): void {
  let lastInput = Date.now()
  for (const event of ['pointerdown', 'keydown', 'focus'])
    window.addEventListener(event, () => (lastInput = Date.now()))
  const report = async () => {
    const isActive = !document.hidden && Date.now() - lastInput < idleAfter
    const answer = await session.client.call('updatePresence', {
      status: isActive ? 'active' : 'idle',
      new_user_input: isActive,
      slim_presence: true,
      last_update_id: session.store?.presence.lastUpdate ?? -1,
    })
    session.store?.presence.update(answer)
    session.store?.touch('presence')
    session.changes.changed()
  }
  const reportAgain = () => void report().catch(() => {}) // the next report follows in a minute
  reportAgain()
  setInterval(reportAgain, interval)
}
