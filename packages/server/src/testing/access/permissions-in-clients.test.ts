import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { GroupSettingValue } from '@parley/api/common'
import type { Operation } from '@parley/api/operation'
import { operations } from '@parley/api/operations'
import { createStore } from '@parley/client/store/store'
import type { Actor } from '../actor.ts'
import { configureRealm } from '../configure-realm.ts'
import { type AccessWorld, newAccessWorld, type Stage } from './callers.ts'
import { channelProbes, fresh, groupProbes, type Probe, realmProbes } from './permission-probes.ts'

const kinds = ['GU', 'LG', 'OU', 'MO', 'AD', 'OW', 'BG'] as const
type Kind = (typeof kinds)[number]

let world: AccessWorld
before(async () => {
  world = await newAccessWorld()
})

interface Case {
  stage: Stage
  kind: Kind
  caller: Actor
  /** Contains only Ann, or the caller too. */
  value: GroupSettingValue
}

/** For a caller of each kind, first without the permission: a request that is done may change what follows. */
async function* cases({ humansOnly }: { humansOnly?: true }): AsyncGenerator<Case> {
  for (const contains of [false, true])
    for (const kind of kinds) {
      if (humansOnly && kind === 'BG') continue
      const stage = kind === 'LG' ? world.limited : world.main
      const caller = stage.actors[kind === 'LG' ? 'GU' : kind]
      const holders = [stage.ann.id, ...(contains ? [caller.id] : [])]
      yield { stage, kind, caller, value: { direct_members: holders, direct_subgroups: [] } }
    }
}

/** Compares what the client of the caller says after `register` with what the server does. */
async function compare<Subject>(probe: Probe<string, Subject>, { stage, kind, caller, value }: Case, place: Subject) {
  const says = probe.may(createStore(await caller.registers()), place)
  const request = await probe.request(stage, caller, place)
  const { status, body } = await caller.request(probe.operation as Operation, request)
  const what = `${kind}, ${probe.permission} for ${JSON.stringify(value)}: ${JSON.stringify(body)}`
  assert.ok(status < 500, what)
  assert.equal(says, status === 200, what)
}

async function newGroup(
  { olga }: Stage,
  members: number[],
  permissions: object,
): Promise<{ id: number; name: string }> {
  const name = fresh()
  const group = { name, description: '', members, ...permissions }
  return { name, id: (await olga.does(operations.createUserGroup, group)).group_id }
}

for (const probe of realmProbes)
  test(`${probe.permission} of the organization is the same in the client as on the server`, async () => {
    for await (const one of cases(probe)) {
      const { direct_members } = one.value as Exclude<GroupSettingValue, number>
      const { id } = await newGroup(one.stage, direct_members, {})
      const { realm } = await one.stage.ctx.realms.get(one.stage.realmId)
      const before = realm.permissions[probe.permission]
      await configureRealm(one.stage, {}, { [probe.permission]: id })
      await compare(probe, one, null)
      await configureRealm(one.stage, {}, { [probe.permission]: before })
    }
  })

for (const probe of channelProbes)
  test(`${probe.permission} of a channel is the same in the client as on the server`, async () => {
    for await (const one of cases(probe)) {
      const { stage, caller, value } = one
      await configureRealm(stage, {}, { can_add_subscribers_group: 'role:nobody' })
      const name = fresh()
      const principals = probe.isPrivate ? [stage.ann.id] : [stage.ann.id, caller.id]
      const closed = { can_remove_subscribers_group: { direct_members: [stage.ann.id], direct_subgroups: [] } }
      await stage.ann.does(operations.subscribe, {
        subscriptions: [{ name }],
        principals,
        invite_only: probe.isPrivate === true,
        ...closed,
        [probe.permission]: value,
      })
      const { stream_id } = await stage.ann.does(operations.getChannelId, { stream: name })
      await compare(probe, one, { name, stream_id })
    }
  })

for (const probe of groupProbes)
  test(`${probe.permission} of a group is the same in the client as on the server`, async () => {
    for await (const one of cases(probe)) {
      const { stage, caller, value } = one
      const members = probe.joins ? [stage.ann.id] : [stage.ann.id, caller.id]
      await compare(probe, one, await newGroup(stage, members, { [probe.permission]: value }))
    }
  })
