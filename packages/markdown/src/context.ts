/** A user that can be mentioned. */
export interface MentionableUser {
  id: number
  full_name: string
  is_active: boolean
}

/** A user group that can be mentioned. */
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

/** A topic with messages, and the message its link points to. */
export interface LinkableTopic {
  channel: string
  topic: string
  message_id: number
}

/** An active custom emoji. */
export interface CustomEmoji {
  name: string
  source_url: string
}

/** Turns matching text into a link: an RE2 pattern and an RFC 6570 template. */
export interface Linkifier {
  pattern: string
  url_template: string
}

/** Facts about an uploaded image. Other files need no entry. */
export interface UploadedImage {
  path_id: string
  content_type: string
  width: number
  height: number
  /** Whether the thumbnail exists; until then a placeholder is shown. */
  thumbnail_ready: boolean
  animated?: boolean
  /** File name of a converted version, for formats that browsers cannot display. */
  transcoded_image?: string
}

/** The preview of a linked web page. */
export interface PagePreview {
  url: string
  title?: string
  description?: string
  image: string
}

/** What the caller looked up for the text. Everything is optional; absent means unknown. */
export interface RenderContext {
  users?: readonly MentionableUser[]
  groups?: readonly MentionableGroup[]
  channels?: readonly LinkableChannel[]
  topics?: readonly LinkableTopic[]
  customEmoji?: readonly CustomEmoji[]
  linkifiers?: readonly Linkifier[]
  images?: readonly UploadedImage[]
  /** Pages that were fetched because an earlier rendering listed them in `previewUrls`. */
  pages?: readonly PagePreview[]
  /** The URL of the realm without a trailing slash; links to it become relative. */
  realmUrl?: string
  defaultCodeLanguage?: string
  /** Called before code is highlighted or a formula is typeset, which take the most time. Absent: always. */
  mayDecorate?: () => boolean
  translateEmoticons?: boolean
  /** Previews of images and videos: on unless switched off. */
  previews?: boolean
  /** The proxy URL for an external image or video. */
  proxyUrl?: (url: string) => string
}
