import { useEffect, useState } from 'react'
import { errorText } from '../platform/error-text.ts'
import { t } from '../platform/i18n.ts'
import { Rendered } from '../rendered/rendered.tsx'
import { useSession } from '../session/context.tsx'
import { escapeHtml } from './editing.ts'

/** The local rendering until the server's arrives, which also has formulas, linkifiers and images. */
export function Preview({ source, local }: { source: string; local: string | undefined }) {
  const { client, viewerId } = useSession()
  const [html, setHtml] = useState<string>()
  useEffect(() => {
    client
      .call('renderMessage', { content: source || ' ' })
      .then(({ rendered }) => setHtml(rendered))
      .catch((error: Error) => setHtml((known) => known ?? local ?? escapeHtml(errorText(error))))
  }, [client, source, local])
  const shown = html ?? local
  return shown === undefined ? (
    <p className="quiet">{t('compose.rendering')}</p>
  ) : (
    <Rendered html={shown} viewerId={viewerId} />
  )
}
