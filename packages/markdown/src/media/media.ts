import type { RenderContext, UploadedImage } from '../context.ts'
import { uploadPath } from '../inline/urls.ts'

/** What a link shows when previewed. */
export interface Media {
  kind: 'image' | 'video' | 'youtube'
  className: string
  src: string
  /** The target of the preview, if it is not the linked URL. */
  href?: string
  /** The video's ID at its provider. */
  id?: string
  data?: Record<string, string | undefined>
}

/** Shown until the thumbnail of an image is ready. */
export const loaderPath = '/static/images/loading/loader-black.svg'

const imagePath = /\.(?:bmp|gif|jpe|jpeg|jpg|png|webp)$/i
const videoPath = /\.(?:mp4|webm|mov|qt)$/i
const youtubeHosts = /^(?:(?:m\.|www\.)?youtube\.com|(?:www\.)?youtube-nocookie\.com)$/

/** The image or video that the URL points to. */
export function mediaOf(url: string, context: RenderContext): Media | undefined {
  const upload = uploadPath(url, context.realmUrl)
  if (upload !== undefined) return uploadedMedia(upload, url, context)
  const target = parse(url)
  if (!target) return undefined
  if (videoPath.test(target.pathname)) return video(url)
  if (imagePath.test(target.pathname)) return image(target, url)
  const id = youtubeId(target)
  return id === undefined ? undefined : youtube(id)
}

function uploadedMedia(path: string, url: string, { images }: RenderContext): Media | undefined {
  if (videoPath.test(path)) return video(url)
  const known = images?.find((candidate) => candidate.path_id === path)
  return known && { kind: 'image', className: 'message_inline_image', ...uploadedImage(known) }
}

/** The preview of an uploaded image: its thumbnail, or a placeholder until it exists. */
export function uploadedImage(known: UploadedImage): Pick<Media, 'src' | 'data'> {
  const data = {
    'data-animated': known.animated && known.thumbnail_ready ? 'true' : undefined,
    'data-original-content-type': known.content_type,
    'data-original-dimensions': `${known.width}x${known.height}`,
    'data-transcoded-image': known.transcoded_image,
  }
  if (!known.thumbnail_ready) {
    return { src: loaderPath, data: { ...data, class: 'image-loading-placeholder' } }
  }
  const size = known.animated ? '840x560-anim.webp' : '840x560.webp'
  return { src: `/user_uploads/thumbnail/${known.path_id}/${size}`, data }
}

/** For pages that show an image file, the preview is the file. */
function image(target: URL, url: string): Media {
  const kind = { kind: 'image', className: 'message_inline_image' } as const
  const wikipedia = wikipediaFile(target)
  return wikipedia ? { ...kind, src: wikipedia, href: wikipedia } : { ...kind, src: githubFile(target) ?? url }
}

function video(src: string): Media {
  return { kind: 'video', className: 'message_inline_image message_inline_video', src }
}

function youtube(id: string): Media {
  const src = `https://i.ytimg.com/vi/${id}/mqdefault.jpg`
  return { kind: 'youtube', className: 'youtube-video message_inline_image', src, id }
}

function githubFile({ hostname, pathname }: URL): string | undefined {
  const [, owner, repository, kind, ...path] = pathname.split('/')
  if (hostname !== 'github.com' || kind !== 'blob') return undefined
  return `https://raw.githubusercontent.com/${[owner, repository, ...path].join('/')}`
}

function wikipediaFile({ origin, hostname, pathname }: URL): string | undefined {
  const file = /^\/wiki\/(File:.+)$/.exec(pathname)?.[1]
  return hostname.endsWith('.wikipedia.org') && file ? `${origin}/wiki/Special:FilePath/${file}` : undefined
}

function youtubeId(target: URL): string | undefined {
  const id = target.hostname === 'youtu.be' ? target.pathname.slice(1) : youtubePageId(target)
  return id && /^[\w-]+$/.test(id) ? id : undefined
}

function youtubePageId({ hostname, pathname, searchParams }: URL): string | undefined {
  if (!youtubeHosts.test(hostname)) return undefined
  if (pathname === '/watch' || pathname === '/watch_popup') return searchParams.get('v') ?? undefined
  if (pathname === '/watch_videos') return searchParams.get('video_ids')?.split(',')[0]
  return /^\/(?:embed|shorts|v)\/([^/]+)/.exec(pathname)?.[1]
}

function parse(url: string): URL | undefined {
  const target = URL.canParse(url) ? new URL(url) : undefined
  return target?.protocol === 'http:' || target?.protocol === 'https:' ? target : undefined
}
