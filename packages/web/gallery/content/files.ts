import type { Browser } from 'playwright-core'
import sharp from 'sharp'
import type { Stage } from '../stage.ts'

/** A sea under a sky, so that pictures show how an image is cut and scaled. */
function landscape(width: number, height: number): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 100 100" preserveAspectRatio="none">
    <rect width="100" height="55" fill="#a9cfe8"/><rect y="55" width="100" height="45" fill="#1f5f7f"/>
    <circle cx="72" cy="26" r="9" fill="#f4c95d"/><path d="M0 68 Q25 60 50 68 T100 68 V100 H0Z" fill="#2f7f9f"/>
    <path d="M20 58 L40 58 L36 64 L24 64Z M30 30 L30 57 L42 54Z" fill="#fff"/></svg>`
  return sharp(Buffer.from(svg)).png().toBuffer()
}

/** Half a second of a tone, as WAV. */
function tone(): Buffer {
  const rate = 8000
  const samples = Buffer.from(Array.from({ length: rate / 2 }, (_, n) => 128 + Math.round(60 * Math.sin(n / 3))))
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8)
  for (const [at, value] of [
    [16, 16],
    [24, rate],
    [28, rate],
    [40, samples.length],
  ] as const)
    head.writeUInt32LE(value, at)
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    head.writeUInt16LE(value, at)
  head.write('data', 36)
  return Buffer.concat([head, samples])
}

/** A second of video, recorded by the browser: there is no other encoder. */
const record = `new Promise((resolve) => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 360 })
  const pen = canvas.getContext('2d')
  const recorder = new MediaRecorder(canvas.captureStream(10), { mimeType: 'video/webm' })
  const parts = []
  recorder.ondataavailable = ({ data }) => parts.push(data)
  recorder.onstop = async () => resolve([...new Uint8Array(await new Blob(parts).arrayBuffer())])
  let step = 0
  const draw = () => {
    pen.fillStyle = '#1f5f7f'
    pen.fillRect(0, 0, 640, 360)
    pen.fillStyle = '#f4c95d'
    pen.fillRect(step * 20, 140, 80, 80)
    if (++step < 12) setTimeout(draw, 80)
    else recorder.stop()
  }
  recorder.start()
  draw()
})`

async function clip(browser: Browser): Promise<Buffer> {
  const page = await browser.newPage()
  const bytes = (await page.evaluate(record)) as number[]
  await page.close()
  return Buffer.from(bytes)
}

/** Uploads what the messages show, and remembers its links: `{upload photo}`. */
export async function uploadFiles(stage: Stage, browser: Browser): Promise<void> {
  const jonas = await stage.as('jonas')
  const files: [key: string, name: string, bytes: Buffer, type: string][] = [
    ['wide', 'quay-panorama.png', await landscape(2400, 500), 'image/png'],
    ['tall', 'lighthouse.png', await landscape(500, 2000), 'image/png'],
    ['square', 'buoy.png', await landscape(120, 120), 'image/png'],
    ['photo', 'boat-house.png', await landscape(1600, 1200), 'image/png'],
    ['clip', 'wave.webm', await clip(browser), 'video/webm'],
    ['sound', 'bell.wav', tone(), 'audio/wav'],
    ['report', 'tide-report-2026-with-a-long-name.pdf', Buffer.from('%PDF-1.4\n'), 'application/pdf'],
  ]
  for (const [key, name, bytes, type] of files)
    stage.ids.set(`upload ${key}`, `[${name}](${await jonas.upload('/user_uploads', name, bytes, type)})`)
  const olivia = await stage.as('owner')
  await olivia.upload('/realm/emoji/boat', 'boat.png', await landscape(128, 128), 'image/png')
}
