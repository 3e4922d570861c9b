import type { ShownMessage } from '@parley/client/messages/cache'
import { useEffect, useState } from 'react'
import { errorText } from '../platform/error-text.ts'
import { t } from '../platform/i18n.ts'
import { useSession } from '../session/context.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { sourceOf } from './source.ts'

/** The text as it was typed. */
export function SourceDialog({ message, onClose }: { message: ShownMessage; onClose: () => void }) {
  const session = useSession()
  const [source, setSource] = useState(t('common.loadingDots'))
  useEffect(() => {
    sourceOf(session, message).then(setSource, (error) => setSource(errorText(error)))
  }, [session, message])
  return (
    <Dialog title={t('message.source')} onClose={onClose}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it. */}
      <pre className="source" tabIndex={0}>
        {source}
      </pre>
    </Dialog>
  )
}
