import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'

/** Packages whose files only styles name, so that they are no modules. */
const styled = ['@fontsource-variable/inter', '@fontsource-variable/jetbrains-mono', 'twemoji-colr-font']
const resolve = createRequire(import.meta.url).resolve

const notices = join(import.meta.dirname, 'notices')

/** Writes licences.txt: the licence of every package from which the client contains code, styles, fonts or icons. */
export function licences(): Plugin {
  return {
    name: 'licences',
    generateBundle() {
      const modules = [...this.getModuleIds()].flatMap((id) => packageOf(id) ?? [])
      const folders = new Set([...modules, ...styled.map((name) => dirname(resolve(`${name}/package.json`)))])
      const texts = [...[...folders].sort().map(describePackage), ...copiedNotices()]
      this.emitFile({ type: 'asset', fileName: 'licences.txt', source: texts.join(`\n${'-'.repeat(80)}\n\n`) })
    },
  }
}

/** The folder of the package that a module belongs to. */
function packageOf(id: string): string | undefined {
  return /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1]
}

function describePackage(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const [file] = globSync('{LICENSE,LICENCE,license}*', { cwd: folder })
  return `${name} ${version} (${license})\n\n${file ? readFileSync(join(folder, file), 'utf8') : ''}`
}

/** What we contain without a package: shapes of icons. */
function copiedNotices(): string[] {
  return globSync('*.txt', { cwd: notices }).map((name) => {
    const title = name.replace('.txt', '')
    return `${title}\n\n${readFileSync(join(notices, name), 'utf8')}`
  })
}
