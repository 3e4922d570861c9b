// npm run gallery [-- area|state|look …]      writes pictures of the web client into var/gallery (GALLERY names another folder)
import { resolve } from 'node:path'
import { launchChromium } from '../../../bench/lib/chromium.ts'
import { areas } from './areas.ts'
import { fillStage } from './content/fill.ts'
import { writeSheets } from './sheet.ts'
import { chooseShots, pathOf, type Shot, sittingsOf } from './shots.ts'
import { Stage } from './stage.ts'
import { Photographer } from './take.ts'

/** Pages at the same time: two cores, and each page also waits. */
const pages = 3
const viewers = ['member', 'owner', 'guest', 'newcomer']
const folder = resolve(process.env.GALLERY ?? 'var/gallery')
const start = performance.now()
const seconds = () => `${Math.round((performance.now() - start) / 1000)} s`

const shots = chooseShots(areas, process.argv.slice(2))
console.log(`${shots.length} pictures …`)
await using resources = new AsyncDisposableStack()
const browser = await launchChromium()
resources.defer(() => browser.close())
const stage = await Stage.open()
resources.defer(() => stage.close())
await fillStage(stage, browser)
console.log(`The demo is ready after ${seconds()}.`)

const photographer = new Photographer(browser, stage, folder)
const isGerman = ([shot]: Shot[]) => shot!.look === 'german'
const sittings = sittingsOf(shots)
const failed = await takeAll(sittings.filter((sitting) => !isGerman(sitting)))
if (sittings.some(isGerman)) {
  for (const viewer of viewers) await (await stage.as(viewer)).patch('/settings', { default_language: 'de' })
  failed.push(...(await takeAll(sittings.filter(isGerman))))
}
const missing = failed.flat()
const taken = shots.filter((shot) => !missing.includes(shot))
await writeSheets(browser, folder, taken)
console.log(`${taken.length} pictures in ${folder} after ${seconds()}.`)
if (missing.length > 0) {
  console.error(`Not reached: ${missing.map(pathOf).join(', ')}`)
  process.exitCode = 1
}

/** Returns what could not be taken, also when it was tried once more with nothing beside it. */
async function takeAll(wanted: Shot[][]): Promise<Shot[][]> {
  const queue = [...wanted]
  const again: Shot[][] = []
  const work = async () => {
    for (let sitting = queue.shift(); sitting; sitting = queue.shift()) if (!(await take(sitting))) again.push(sitting)
  }
  await Promise.all(Array.from({ length: pages }, work))
  const missing: Shot[][] = []
  for (const sitting of again) if (!(await take(sitting))) missing.push(sitting)
  return missing
}

/** Whether these pictures could be taken. */
async function take(sitting: Shot[]): Promise<boolean> {
  const name = sitting.map(pathOf).join(', ')
  try {
    await photographer.take(sitting)
    console.log(`${seconds()} ${name}`)
    return true
  } catch (error) {
    console.log(`${seconds()} ${name}: ${(error as Error).message.split('\n').slice(0, 3).join(' ')}`)
    return false
  }
}
