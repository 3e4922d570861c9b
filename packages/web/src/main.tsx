import type { Session } from '@parley/client/session/session'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { keepDropsHere } from './platform/file-drops.ts'
import { startLanguage } from './platform/languages.ts'
import { followNotificationClicks } from './platform/routing.ts'
import { startTheme } from './platform/theme.ts'
import { SessionProvider } from './session/context.tsx'
import { InLanguage } from './session/language.tsx'
import { reportPresence } from './session/presence.ts'
import { startSession } from './session/start.ts'
import './style/main.css'

startTheme()
keepDropsHere()
followNotificationClicks()
// The name of this file contains a hash of the client. Waiting at the top level would split it into many small files.
void Promise.all([startSession(new URL(import.meta.url).pathname), startLanguage()]).then(([session]) => show(session))

function show(session: Session): void {
  reportPresence(session)
  createRoot(document.getElementById('root')!, { onUncaughtError: (error) => void recover(session, error) }).render(
    <SessionProvider value={session}>
      <InLanguage>
        <App />
      </InLanguage>
    </SessionProvider>,
  )
}

/** What was stored may be damaged. Without it, the client starts as for the first time. */
async function recover(failed: Session, error: unknown): Promise<void> {
  console.error(error)
  if (!failed.isRestored) return
  await failed.forgetState()
  window.location.reload()
}
