/** Where an upload lies in the file store: its address without the name, which is the uploader's choice. */
export function uploadPath(pathId: string): string {
  return `uploads/${placeOf(pathId)}`
}

export function thumbnailPath(pathId: string, format: string): string {
  return `thumbnails/${placeOf(pathId)}/${format}`
}

function placeOf(pathId: string): string {
  return pathId.split('/').slice(0, 3).join('/')
}

/** Everything that lies in the file store because of an upload. */
export function pathsOf({ path_id, thumbnails }: { path_id: string; thumbnails: string[] | null }): string[] {
  return [uploadPath(path_id), ...(thumbnails ?? []).map((format) => thumbnailPath(path_id, format))]
}
