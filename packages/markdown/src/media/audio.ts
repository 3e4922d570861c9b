import { attributes } from '../html.ts'
import type { Inline } from '../inline/inline.ts'
import { replaceNamed } from '../inline/named-links.ts'
import { relativeToRealm, safeUrl, uploadPath } from '../inline/urls.ts'

const audioPath = /^(?:https?:|\/)[^?#]*\.(?:aac|flac|m4a|mp3|wav|weba)(?:[?#]|$)/i

/** `![title](URL)` of an audio file. Before other links, the `!` has no meaning. */
export function audio(text: string, inline: Inline): string {
  const { message } = inline
  if (message.context.previews === false || inline.quoted) return text
  return replaceNamed(text, '!', (link, source) => {
    const safe = safeUrl(inline.source(link.address))
    if (safe === undefined || !audioPath.test(safe)) return undefined
    const url = relativeToRealm(safe, message.context.realmUrl)
    const upload = uploadPath(url, message.context.realmUrl)
    if (upload) message.uploads.add(upload)
    return inline.keep(player(url, message.mediaSource(url), inline.source(link.text).trim()), source)
  })
}

function player(url: string, src: string, title: string): string {
  const values = { 'data-original-url': src === url ? undefined : url, preload: 'metadata', src }
  return `<audio controls${attributes({ ...values, title: title || undefined })}></audio>`
}
