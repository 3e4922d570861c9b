import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { tempFolder } from '../platform/postgres/test-support.ts'
import { newWorld, type World } from '../testing/world.ts'

const deploy = join(import.meta.dirname, '../../../../deploy')
const alerts = join(deploy, 'alerts.yaml')
const dashboard = readFileSync(join(deploy, 'grafana.json'), 'utf8')

let world: World
let metrics: string
before(async () => {
  world = await newWorld()
  world.ctx.config.metricsToken = 'a token of the operator'
  metrics = await readMetrics()
})

async function readMetrics(): Promise<string> {
  const headers = { host: world.host, authorization: 'Bearer a token of the operator' }
  return (await world.app.inject({ url: '/metrics', headers })).body
}

function metricValue(name: string, text = metrics): number | undefined {
  const line = new RegExp(`^${name}(?:\\{.*\\})? (.*)$`, 'm').exec(text)
  return line ? Number(line[1]) : undefined
}

/** Debian's package `prometheus` has it. */
const promtool = spawnSync('promtool', ['--version']).status === 0 ? 'promtool' : undefined
const skip = promtool === undefined && 'there is no promtool'

test('promtool accepts the names of the metrics', { skip }, () => {
  const { status, stdout, stderr } = spawnSync(promtool!, ['check', 'metrics'], { input: metrics, encoding: 'utf8' })
  assert.equal(status, 0, stdout + stderr)
})

function checkRules(path: string): void {
  const { status, stdout, stderr } = spawnSync(promtool!, ['check', 'rules', path], { encoding: 'utf8' })
  assert.equal(status, 0, stdout + stderr)
}

test('promtool accepts the alerts', { skip }, () => checkRules(alerts))

test('promtool accepts the queries of the dashboard', { skip }, (t) => {
  const { panels } = JSON.parse(dashboard) as { panels: { targets: { expr: string }[] }[] }
  const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')))
  const rules = queries.map((expr, index) => ({ record: `parley:query_${index}`, expr }))
  const path = join(tempFolder(t), 'rules.json') // JSON is YAML
  writeFileSync(path, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
  checkRules(path)
})

test('every metric that an alert or the dashboard names is exposed', () => {
  const exposed = new Set(Array.from(metrics.matchAll(/^# TYPE (\w+) /gm), ([, name]) => name!))
  const texts = [readFileSync(alerts, 'utf8'), dashboard]
  const named = texts.flatMap((text) => text.match(/\b(?:parley|process|nodejs)_\w+/g) ?? [])
  assert.ok(named.length > 30)
  for (const name of named)
    assert.ok(exposed.has(name) || exposed.has(name.replace(/_(?:bucket|sum|count)$/, '')), `${name} is not exposed`)
})

test('each alert is explained, with what to do', () => {
  const docs = readFileSync(join(deploy, '../docs/monitoring.md'), 'utf8')
  for (const [, name] of readFileSync(alerts, 'utf8').matchAll(/- alert: (\w+)/g))
    assert.ok(docs.includes(`\n- \`${name}\`: `), `docs/monitoring.md does not explain ${name}`)
})

test('the metrics show accounts, queues, connections, disk and version', async () => {
  const { ann, ctx } = world
  await ann.registers()
  const text = await readMetrics()
  assert.ok(metricValue('parley_users', text)! >= 6)
  assert.ok(metricValue('parley_event_queues', text)! >= 1)
  assert.ok(metricValue('parley_disk_free_bytes')! > 0)
  assert.ok(metricValue('parley_event_lag_seconds')! < 60)
  assert.match(metrics, /^parley_build_info\{version="\d+\.\d+\.\d+",node="24\..*"\} 1$/m)
  assert.match(metrics, /^parley_database_connections\{state="idle"\} \d+$/m)
  assert.equal(ctx.settings.maintenance, null)
  assert.equal(metricValue('parley_maintenance'), 0)
})

test('the age of the last backup and of a certificate are missing where there is none', async () => {
  assert.equal(metricValue('parley_backup_age_seconds'), undefined)
  assert.equal(metricValue('parley_certificate_expiry_timestamp_seconds'), undefined)
  await world.ctx.pool.query(`update server_settings set backed_up_at = now() - interval '1 hour'`)
  assert.ok(metricValue('parley_backup_age_seconds', await readMetrics())! >= 3600)
  await world.ctx.pool.query('update server_settings set backed_up_at = null')
})

test('a slow statement is counted', async () => {
  const count = async () => metricValue('parley_slow_statements_total', await readMetrics())!
  const start = await count()
  await world.ctx.db.selectNoFrom((eb) => eb.fn('pg_sleep', [eb.val(0.6)]).as('slept')).execute()
  assert.equal(await count(), start + 1)
})
