import { type Html, html, type Text } from '../../platform/html.ts'

/** A QR code as an inline image. The library is loaded when the first one is shown. */
export async function qrCode(text: string, label: Text): Promise<Html> {
  const { encode } = await import('uqr')
  const { data, size } = encode(text, { border: 2 })
  const dark = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges">
<rect width="${size}" height="${size}" fill="#fff"/><path d="${dark.join('')}" fill="#000"/></svg>`
}
