import type { EmojiEntry } from './emoji-list.ts'

export function EmojiGlyph({ emoji: { glyph, url } }: { emoji: EmojiEntry }) {
  return url ? (
    <img className="emoji-glyph" src={url} alt="" />
  ) : (
    <span className="emoji-glyph" aria-hidden="true">
      {glyph}
    </span>
  )
}
