import type { Inline } from './inline.ts'

/** `***both***` */
export function strongEmphasis(text: string, inline: Inline, next: number): string {
  return text.replace(/\*\*\*(?!\s)([^*^\n]+)(?<!\s)\*\*\*/g, (source, inner: string) =>
    inline.keep(`<strong><em>${inside(inner, inline, next)}</em></strong>`, source),
  )
}

/** `**loud**` */
export function strong(text: string, inline: Inline, next: number): string {
  return text.replace(/\*\*([^\n]+?)\*\*/g, (source, inner: string) =>
    inline.keep(`<strong>${inside(inner, inline, next)}</strong>`, source),
  )
}

/** `*soft*` */
export function emphasis(text: string, inline: Inline, next: number): string {
  return text.replace(/\*(?!\s)([^*^\n]+)(?<!\s)\*/g, (source, inner: string) =>
    inline.keep(`<em>${inside(inner, inline, next)}</em>`, source),
  )
}

/** `~~old~~` */
export function strikethrough(text: string, inline: Inline, next: number): string {
  return text.replace(/(?<!~)~~([^~\n]+)~~(?!~)/g, (source, inner: string) =>
    inline.keep(`<del>${inside(inner, inline, next)}</del>`, source),
  )
}

function inside(text: string, inline: Inline, next: number): string {
  return inline.html(inline.read(text, next))
}
