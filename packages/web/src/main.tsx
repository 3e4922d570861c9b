import { ParleyClient } from '@parley/client/client'
import { Session } from '@parley/client/session'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { startTheme } from './platform/theme.ts'
import { SessionProvider } from './session/context.tsx'
import { reportPresence } from './session/presence.ts'
import './style/main.css'

startTheme()
const session = new Session(new ParleyClient({ site: window.location.origin, usesCookie: true }))
void session.run()
reportPresence(session)
createRoot(document.getElementById('root')!).render(
  <SessionProvider value={session}>
    <App />
  </SessionProvider>,
)
