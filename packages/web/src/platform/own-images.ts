/** The URL of an image if it is on our server: the content security policy forbids images from elsewhere. */
export function ownImage(url: string | null | undefined): string | undefined {
  return url && new URL(url, window.location.href).origin === window.location.origin ? url : undefined
}
