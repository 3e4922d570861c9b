/** Where an upload lies in the file store: its address without the name, which is the uploader's choice. */
export function uploadPath(pathId: string): string {
  return `uploads/${pathId.split('/').slice(0, 3).join('/')}`
}
