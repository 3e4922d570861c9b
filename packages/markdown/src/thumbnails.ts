import type { UploadedImage } from './context.ts'
import { attributes } from './html.ts'
import { uploadedImage } from './media.ts'
import { uploadPath } from './urls.ts'

/** A picture that was still waiting for its thumbnail. What an author writes is escaped and never looks like this. */
const waiting =
  /<div class="message_inline_image"><a href="([^"]*)"( title="[^"]*")?><img class="image-loading-placeholder"[^>]*><\/a><\/div>/g

export interface Refreshed {
  html: string
  hasImage: boolean
}

/** A rendered message with the thumbnails that have come since. What turned out to be no picture loses its preview. */
export function withThumbnails(html: string, images: readonly UploadedImage[]): Refreshed {
  const refreshed = html.replace(waiting, (preview: string, href: string, title: string | undefined) => {
    const image = images.find(({ path_id }) => path_id === uploadPath(href, undefined))
    if (image) return preview.replace(/<img[^>]*>/, () => imageHtml(image))
    // The preview of a bare address may stand in its place.
    return title === undefined ? `<p><a href="${href}">${href}</a></p>` : ''
  })
  return { html: refreshed, hasImage: /<div class="(?:youtube-video )?message_inline_image">/.test(refreshed) }
}

function imageHtml(image: UploadedImage): string {
  const { src, data } = uploadedImage(image)
  return `<img${attributes({ ...data, src })}>`
}

/** Whether the message shows a picture whose thumbnail it waits for. */
export function awaitsThumbnail(html: string): boolean {
  return html.includes('<img class="image-loading-placeholder"')
}
