import type { Inline } from './inline.ts'

/** `***both***` */
export function strongEmphasis(text: string, inline: Inline, next: number): string {
  return text.replace(/\*\*\*(?!\s)([^*^\n]+)(?<!\s)\*\*\*/g, (source, inner: string) =>
    keepInside(inline, source, inline.read(inner, next), (html) => `<strong><em>${html}</em></strong>`),
  )
}

/** `**loud**` */
export function strong(text: string, inline: Inline, next: number): string {
  return text.replace(/\*\*([^\n]+?)\*\*/g, (source, inner: string) =>
    keepInside(inline, source, inline.read(inner, next), (html) => `<strong>${html}</strong>`),
  )
}

/** `*soft*` */
export function emphasis(text: string, inline: Inline, next: number): string {
  return text.replace(/\*(?!\s)([^*^\n]+)(?<!\s)\*/g, (source, inner: string) =>
    keepInside(inline, source, inline.read(inner, next), (html) => `<em>${html}</em>`),
  )
}

/** `~~old~~` */
export function strikethrough(text: string, inline: Inline, next: number): string {
  return text.replace(/(?<!~)~~([^~\n]+)~~(?!~)/g, (source, inner: string) =>
    keepInside(inline, source, inline.read(inner, next), (html) => `<del>${html}</del>`),
  )
}

function keepInside(inline: Inline, source: string, inner: string, enclose: (html: string) => string): string {
  return inline.keep(enclose(inline.html(inner)), source, { inner })
}
