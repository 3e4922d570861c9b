import { useEffect, useState } from 'react'
import { useSession } from '../session/context.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** The text as it was typed. */
export function SourceDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const { client } = useSession()
  const [source, setSource] = useState('Loading …')
  useEffect(() => {
    client
      .call('getMessage', { path: { message_id: id }, apply_markdown: false, allow_empty_topic_name: true })
      .then((answer) => setSource(answer.message.content))
      .catch((error: Error) => setSource(error.message))
  }, [client, id])
  return (
    <Dialog title="Source of the message" onClose={onClose}>
      <pre className="source" tabIndex={0}>
        {source}
      </pre>
    </Dialog>
  )
}
