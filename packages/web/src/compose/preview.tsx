import { useEffect, useState } from 'react'
import { errorText } from '../platform/error-text.ts'
import { t } from '../platform/i18n.ts'
import { Rendered } from '../rendered/rendered.tsx'
import { useSession } from '../session/context.tsx'
import { escapeHtml } from './editing.ts'

interface Answer {
  html?: string
  problem?: string
}

/** The local rendering until the server's arrives, which also has formulas, linkifiers and images. */
export function Preview({ source, local }: { source: string; local: string | undefined }) {
  const { client, viewerId } = useSession()
  const [{ html, problem }, setAnswer] = useState<Answer>({})
  useEffect(() => {
    let isCurrent = true
    const show = (answer: Answer) => isCurrent && setAnswer(answer)
    client.call('renderMessage', { content: source || ' ' }).then(
      ({ rendered }) => show({ html: rendered }),
      (error: Error) => show({ problem: errorText(error) }),
    )
    return () => {
      isCurrent = false
    }
  }, [client, source])
  const shown = html ?? local ?? (problem && escapeHtml(problem))
  return shown === undefined ? (
    <p className="quiet">{t('compose.rendering')}</p>
  ) : (
    <Rendered html={shown} viewerId={viewerId} />
  )
}
