import { uploadFile } from '@parley/api/conversations/uploads'
import { operations } from '@parley/api/operations'
import { uploadEmoji } from '@parley/api/organization/emoji'
import { uploads } from '../files.ts'
import { populate, sampleOf } from '../samples.ts'
import { newWorld, type World } from '../world.ts'

/** Operations that would end the organization or the callers that the next samples need. */
const ending = ['deactivateRealm', 'deactivateOwnUser', 'deactivateUser', 'endCurrentSession', 'signOutElsewhere']

/** An organization with rows in many tables, and files. */
export async function usedWorld(): Promise<World> {
  const world = await newWorld()
  const populated = await populate(world)
  const { app, ann, adam } = world
  const { uri } = await uploads(app, ann, uploadFile, {}, { content: 'notes', filename: 'notes.txt' })
  await ann.sends({ channel: 'verona', content: `see [notes](${uri})` })
  await uploads(app, adam, uploadEmoji, { emoji_name: 'pixel' }, { content: pixel, filename: 'pixel.png' })
  for (const operation of Object.values(operations)) {
    if (operation.method === 'GET' || ending.includes(operation.name)) continue
    const sample = await sampleOf(operation, populated).catch(() => undefined)
    if (sample) await sample.by.request(operation, { path: sample.path, ...sample.params })
  }
  return world
}

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==',
  'base64',
)
