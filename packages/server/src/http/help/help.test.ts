import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { before, test } from 'node:test'
import { docsFolder } from '../../platform/installation.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { pageNames } from './help-pages.ts'

let world: World
before(async () => {
  world = await newWorld()
})

const get = (url: string) => world.app.inject({ url, headers: { host: world.host } })

test('every page is shown without an account, and its links lead to pages, headings and images that exist', async () => {
  const pages = new Map<string, string>()
  for (const name of pageNames) {
    const { statusCode, body } = await get(`/help/${name}`)
    assert.equal(statusCode, 200, name)
    pages.set(name, body)
  }
  for (const [name, body] of pages)
    for (const [, path, anchor] of body.matchAll(/(?:href|src)="(?:\/help\/([\w./-]+))?(?:#([^"]+))?"/g)) {
      if (path?.startsWith('images/')) assert.equal((await get(`/help/${path}`)).statusCode, 200, path)
      const target = path === undefined ? body : pages.get(path)
      if (anchor) assert.ok(target?.includes(`id="${anchor}"`), `${name}: ${path ?? name}#${anchor}`)
    }
})

test('/help leads to the guide for users, and an unknown page is not found', async () => {
  const { statusCode, headers } = await get('/help')
  assert.deepEqual([statusCode, headers.location], [302, '/help/user-guide'])
  assert.equal((await get('/help/nowhere')).statusCode, 404)
})

test('pages for those who work on Parley are not shown', () => {
  const all = readdirSync(docsFolder).filter((name) => name.endsWith('.md'))
  const hidden = all.map((name) => name.slice(0, -3)).filter((name) => !pageNames.has(name))
  assert.ok(hidden.includes('contributing') && hidden.includes('architecture'))
})
