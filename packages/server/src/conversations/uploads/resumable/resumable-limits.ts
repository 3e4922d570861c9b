import { uploadFile } from '@parley/api/conversations/uploads'

/** As for uploads in one request. */
export const maxSize = uploadFile.fileLimit!
/** Unfinished uploads of one user. */
export const maxUnfinished = 20
export const lifetimeHours = 24
