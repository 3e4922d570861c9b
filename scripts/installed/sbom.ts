// Prints what is installed for a server, as CycloneDX. `npm sbom` refuses an installation without development packages.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bomOf } from '../build/describe-packages.ts'
import { productionPlaces, repository } from './production-packages.ts'

const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
const folders = productionPlaces().map((place) => join(repository, place))
console.log(JSON.stringify(bomOf(version, folders, ''), null, 2))
