import { useEffect, useState } from 'react'
import { errorText } from '../platform/error-text.ts'
import { t } from '../platform/i18n.ts'
import { useSession } from '../session/context.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** The text as it was typed. */
export function SourceDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const { client } = useSession()
  const [source, setSource] = useState(t('common.loadingDots'))
  useEffect(() => {
    client
      .call('getMessage', { path: { message_id: id }, apply_markdown: false, allow_empty_topic_name: true })
      .then((answer) => setSource(answer.message.content))
      .catch((error: Error) => setSource(errorText(error)))
  }, [client, id])
  return (
    <Dialog title={t('message.source')} onClose={onClose}>
      <pre className="source" tabIndex={0}>
        {source}
      </pre>
    </Dialog>
  )
}
