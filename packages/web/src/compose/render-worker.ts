import type { RenderContext } from '@parley/markdown/context'
import { render } from '@parley/markdown/render'

export interface RenderRequest {
  id: number
  content: string
  context: RenderContext
}

addEventListener('message', ({ data: { id, content, context } }: MessageEvent<RenderRequest>) => {
  const { html } = render(content, { ...context, mayDecorate: () => false })
  postMessage({ id, html })
})
