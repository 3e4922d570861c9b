import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { packedLibraries } from './packed-libraries.ts'

const run = promisify(execFile)
const cli = (name: string) => join(import.meta.dirname, name)

test('the packed libraries export what the libraries export', async () => {
  await run(process.execPath, [cli('pack-libraries.ts')])
  const names = JSON.stringify(packedLibraries)
  const program = `const { usePackedLibraries } = await import(${JSON.stringify(cli('packed-libraries.ts'))})
    const own = await Promise.all(${names}.map((name) => import(import.meta.resolve(name))))
    usePackedLibraries()
    const packed = await Promise.all(${names}.map((name) => import(name)))
    if (packed.some((one, index) => one === own[index])) throw new Error('not packed')
    const exportsOf = ({ 'module.exports': _, ...one }) => Object.keys(one).sort().map((key) => key + ': ' + typeof one[key])
    console.log(JSON.stringify([own, packed].map((all) => all.map(exportsOf))))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
  })

  const [own, packed] = JSON.parse(stdout) as string[][][]
  assert.ok(own!.every(({ length }) => length > 0))
  assert.deepEqual(packed, own)
})
