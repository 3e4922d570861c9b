/** The path of an upload in the file store: its URL path without the file name, which the uploader chose. */
export function uploadPath(pathId: string): string {
  return `uploads/${folderOf(pathId)}`
}

export function thumbnailPath(pathId: string, format: string): string {
  return `thumbnails/${folderOf(pathId)}/${format}`
}

function folderOf(pathId: string): string {
  return pathId.split('/').slice(0, 3).join('/')
}

/** The paths of an upload and its thumbnails in the file store. */
export function pathsOf({ path_id, thumbnails }: { path_id: string; thumbnails: string[] | null }): string[] {
  return [uploadPath(path_id), ...(thumbnails ?? []).map((format) => thumbnailPath(path_id, format))]
}
