// What is inside the bundle: licence notices for people, a software bill of materials for programs.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Package {
  name: string
  version: string
  license: string
}

const line = '-'.repeat(80)

/** The licences of all packages, ours first, then those of the web client, whose build has listed them. */
export function noticesOf(folders: string[], webNotices: string): string {
  const own = 'This program contains the following packages. Their licences apply to them.'
  return [own, ...folders.map(noticeOf), `The web client contains:\n\n${webNotices}`].join(`\n\n${line}\n\n`)
}

function noticeOf(folder: string): string {
  const { name, version, license } = readPackage(folder)
  const [file] = globSync('{LICENSE,LICENCE,license,License,COPYING}*', { cwd: folder }).sort()
  const text = file === undefined ? withoutFile(folder) : readFileSync(join(folder, file), 'utf8').trim()
  return `${name} ${version} (${license})\n\n${text}`
}

/** Some packages state their licence only in a section of their README or in package.json. */
function withoutFile(folder: string): string {
  const [readme] = globSync('{README,Readme,readme}*', { cwd: folder }).sort()
  const section = readme && /^#+ *licen[cs]e\b[\s\S]*/im.exec(readFileSync(join(folder, readme), 'utf8'))?.[0]
  return section?.trim() ?? 'The package states its licence in package.json and contains no text of it.'
}

function readPackage(folder: string): Package {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return { name, version, license }
}

/** CycloneDX. Without a serial number and a time, so that two builds are equal. */
export function bomOf(version: string, folders: string[], webNotices: string): object {
  const inWeb = [...webNotices.matchAll(/^((?:@[\w.-]+\/)?[\w.-]+) (\d[\w.+-]*) \((.+)\)$/gm)]
  const packages = [
    ...folders.map(readPackage),
    ...inWeb.map(([, name, v, license]) => ({ name, version: v, license })),
  ]
  const components = new Map(packages.map((one) => [`${one.name}@${one.version}`, componentOf(one as Package)]))
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', name: 'parley', version, licenses: [{ expression: 'Apache-2.0' }] } },
    components: [...components.values()],
  }
}

function componentOf({ name, version, license }: Package): object {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return { 'bom-ref': purl, type: 'library', name, version, purl, licenses: [{ expression: license }] }
}
