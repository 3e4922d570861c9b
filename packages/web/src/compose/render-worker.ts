import type { RenderContext } from '@parley/markdown/context'
import { setEmojiNames } from '@parley/markdown/inline/emoji'
import { render } from '@parley/markdown/render'

export interface RenderRequest {
  id: number
  content: string
  context: RenderContext
}

/** Comes first. */
interface EmojiNames {
  emojiNames: Record<string, string[]>
}

addEventListener('message', ({ data }: MessageEvent<RenderRequest | EmojiNames>) => {
  if ('emojiNames' in data) setEmojiNames(Object.entries(data.emojiNames))
  else answer(data)
})

function answer({ id, content, context }: RenderRequest): void {
  const { html } = render(content, { ...context, mayDecorate: () => false })
  postMessage({ id, html })
}
