import type { UploadedImage } from '../context.ts'
import { attributes } from '../html.ts'
import { uploadPath } from '../inline/urls.ts'
import { uploadedImage } from './media.ts'

/** An image without its thumbnail. Text of authors is escaped, so it cannot match this. */
const waiting =
  /<div class="message_inline_image"><a href="([^"]*)"( title="[^"]*")?><img class="image-loading-placeholder"[^>]*><\/a><\/div>/g

export interface Refreshed {
  html: string
  hasImage: boolean
}

/** A rendered message with the thumbnails that are ready now. Files that are not images lose their preview. */
export function withThumbnails(html: string, images: readonly UploadedImage[]): Refreshed {
  const refreshed = html.replace(waiting, (preview: string, href: string, title: string | undefined) => {
    const image = images.find(({ path_id }) => path_id === uploadPath(href, undefined))
    if (image) return preview.replace(/<img[^<>]*>/, () => imageHtml(image))
    // The preview of a bare URL may replace it.
    return title === undefined ? `<p><a href="${href}">${href}</a></p>` : ''
  })
  return { html: refreshed, hasImage: /<div class="(?:youtube-video )?message_inline_image">/.test(refreshed) }
}

function imageHtml(image: UploadedImage): string {
  const { src, data } = uploadedImage(image)
  return `<img${attributes({ ...data, src })}>`
}

/** Whether the message shows an image whose thumbnail is not ready. */
export function awaitsThumbnail(html: string): boolean {
  return html.includes('<img class="image-loading-placeholder"')
}
