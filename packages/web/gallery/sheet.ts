import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { pathOf, type Shot } from './shots.ts'

const style = `body { margin: 16px; font: 13px system-ui; background: #ddd; color: #111 }
.all { display: flex; flex-wrap: wrap; gap: 16px; align-items: flex-start }
figure { margin: 0 } img { display: block; height: 330px; background: #fff } figcaption { padding-top: 4px }`

/** A page with all pictures of an area, each a link to its file. */
export function sheetOf(area: string, shots: Shot[]): string {
  const figures = shots.map((shot) => {
    const path = pathOf(shot)
    return `<figure><a href="${path}"><img src="${path}" alt=""></a><figcaption>${shot.state.name}, ${shot.look}</figcaption></figure>`
  })
  return `<!doctype html><meta charset="utf-8"><title>${area}</title><style>${style}</style>
<h1>${area}</h1><div class="all">${figures.join('\n')}</div>`
}

/** Writes the contact sheets of all areas, as a page and as one picture. */
export async function writeSheets(browser: Browser, folder: string, shots: Shot[]): Promise<void> {
  for (const [area, taken] of Map.groupBy(shots, (shot) => shot.area)) {
    const path = join(folder, `${area}.html`)
    await writeFile(path, sheetOf(area, taken))
    const page = await browser.newPage({ viewport: { width: 1680, height: 900 } })
    await page.goto(pathToFileURL(path).href, { waitUntil: 'load' })
    await page.screenshot({ path: join(folder, `${area}.png`), fullPage: true })
    await page.close()
  }
}
