import { Fragment, type ReactNode, useEffect, useSyncExternalStore } from 'react'
import { language, onTextsChange } from '../platform/i18n.ts'
import { chooseLanguage } from '../platform/languages.ts'
import { useChanges, useSession } from './context.tsx'

/** Follows the language of the viewer's account. When it changes, everything inside starts again with the new texts. */
export function InLanguage({ children }: { children: ReactNode }) {
  useChanges()
  const chosen = useSession().store?.preferences.get('default_language')
  useEffect(() => {
    // Without its texts, the language stays as it is.
    if (typeof chosen === 'string') chooseLanguage(chosen).catch(() => {})
  }, [chosen])
  const shown = useSyncExternalStore(onTextsChange, language)
  return <Fragment key={shown}>{children}</Fragment>
}
