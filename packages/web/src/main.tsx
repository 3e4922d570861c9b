import { ParleyClient } from '@parley/client/client'
import { Session } from '@parley/client/session'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { startLanguage } from './platform/languages.ts'
import { startTheme } from './platform/theme.ts'
import { SessionProvider } from './session/context.tsx'
import { InLanguage } from './session/language.tsx'
import { reportPresence } from './session/presence.ts'
import './style/main.css'

startTheme()
const session = new Session(new ParleyClient({ site: window.location.origin, usesCookie: true }))
void session.run()
reportPresence(session)
// The texts are loaded while the session registers.
void startLanguage().then(() =>
  createRoot(document.getElementById('root')!).render(
    <SessionProvider value={session}>
      <InLanguage>
        <App />
      </InLanguage>
    </SessionProvider>,
  ),
)
