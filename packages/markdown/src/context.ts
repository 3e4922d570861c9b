/** Someone a mention may name. */
export interface MentionableUser {
  id: number
  full_name: string
  is_active: boolean
}

/** A user group a mention may name. */
export interface MentionableGroup {
  id: number
  name: string
  deactivated?: boolean
}

/** A channel the author may read. */
export interface LinkableChannel {
  id: number
  name: string
}

/** A topic with messages, and the one its link points at. */
export interface LinkableTopic {
  channel: string
  topic: string
  message_id: number
}

/** A custom emoji in use. */
export interface CustomEmoji {
  name: string
  source_url: string
}

/** A realm's rule that turns matching text into a link: an RE2 pattern and an RFC 6570 template. */
export interface Linkifier {
  pattern: string
  url_template: string
}

/** What is known of an uploaded picture. A file that is no picture needs no entry. */
export interface UploadedImage {
  path_id: string
  content_type: string
  width: number
  height: number
  /** Whether the thumbnail exists already; until then a placeholder is shown. */
  thumbnail_ready: boolean
  animated?: boolean
  /** File name of the version browsers can show, for formats that they cannot. */
  transcoded_image?: string
}

/** What was learned from a web page that is linked to. */
export interface PagePreview {
  url: string
  title?: string
  description?: string
  image: string
}

/** What the caller looked up for the text. Everything is optional; what is absent is unknown. */
export interface RenderContext {
  users?: readonly MentionableUser[]
  groups?: readonly MentionableGroup[]
  channels?: readonly LinkableChannel[]
  topics?: readonly LinkableTopic[]
  customEmoji?: readonly CustomEmoji[]
  linkifiers?: readonly Linkifier[]
  images?: readonly UploadedImage[]
  /** Pages fetched after an earlier rendering named them in `previewUrls`. */
  pages?: readonly PagePreview[]
  /** The realm's own URL without a slash at the end; links to it become relative. */
  realmUrl?: string
  defaultCodeLanguage?: string
  /** Asked before code is highlighted or a formula is set, which cost the most time. Absent: always. */
  mayDecorate?: () => boolean
  translateEmoticons?: boolean
  /** Previews of pictures and videos: on unless switched off. */
  previews?: boolean
  /** Where an external picture or video is fetched through. */
  proxyUrl?: (url: string) => string
}
