import type { Plugin } from 'vite'

/** Leaves out the names of the emoji, which the server has as a file: the client loads it for its pickers in any case. */
export function emojiFromServer(): Plugin {
  return {
    name: 'parley-emoji',
    enforce: 'pre',
    transform: (_code, id) => (id.endsWith('emoji-table.generated.ts') ? "export const emojiTable = ''" : null),
  }
}
