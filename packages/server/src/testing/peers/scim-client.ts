import assert from 'node:assert/strict'
import { transactIn } from '../../context.ts'
import { createScimToken } from '../../identity/scim/tokens.ts'
import type { World } from '../world.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read any attribute
type Resource = any

const schemas = {
  user: 'urn:ietf:params:scim:schemas:core:2.0:User',
  group: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  patch: 'urn:ietf:params:scim:api:messages:2.0:PatchOp',
}

/** An identity provider that manages users and groups. */
export class ScimClient {
  readonly #world: Pick<World, 'app' | 'host'>
  token: string

  constructor(world: Pick<World, 'app' | 'host'>, token: string) {
    this.#world = world
    this.token = token
  }

  static async open(world: World): Promise<ScimClient> {
    const { token } = await transactIn(world.ctx, world.realmId, (tx) => createScimToken(tx, 'Acme'))
    return new ScimClient(world, token)
  }

  async request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const { app, host } = this.#world
    const type = body === undefined ? {} : { 'content-type': 'application/scim+json' }
    const own = { host, authorization: `Bearer ${this.token}`, ...type, ...headers }
    const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const response = await app.inject({
      method: method as 'GET',
      url: `/scim/v2${path}`,
      headers: own,
      ...(payload !== undefined && { payload }),
    })
    if (response.body !== '') assert.match(String(response.headers['content-type']), /^application\/scim\+json/)
    return { status: response.statusCode, body: (response.body ? response.json() : {}) as Resource, response }
  }

  /** Expects success. */
  async does(method: string, path: string, body?: unknown): Promise<Resource> {
    const { status, body: answer } = await this.request(method, path, body)
    assert.ok(status < 300, `${method} ${path}: ${JSON.stringify(answer)}`)
    return answer
  }

  /** Expects an error in the form of SCIM; returns its status and type. */
  async isRefused(method: string, path: string, body?: unknown): Promise<string> {
    const { status, body: answer } = await this.request(method, path, body)
    assert.ok(status >= 400, `${method} ${path} was accepted`)
    assert.deepEqual(answer.schemas, ['urn:ietf:params:scim:api:messages:2.0:Error'])
    assert.equal(answer.status, String(status))
    assert.equal(typeof answer.detail, 'string')
    return `${status} ${answer.scimType ?? ''}`.trim()
  }

  createUser(userName: string, more: object = {}) {
    return this.does('POST', '/Users', scimUser(userName, more))
  }

  createGroup(displayName: string, members: (string | number)[] = [], more: object = {}) {
    const list = members.map((value) => ({ value: String(value) }))
    return this.does('POST', '/Groups', { schemas: [schemas.group], displayName, members: list, ...more })
  }

  patch(path: string, ...operations: object[]) {
    return this.does('PATCH', path, patchOf(operations))
  }

  find(resource: 'Users' | 'Groups', filter: string, more = '') {
    return this.does('GET', `/${resource}?filter=${encodeURIComponent(filter)}${more}`)
  }
}

export function scimUser(userName: string, more: object = {}): object {
  return { schemas: [schemas.user], userName, ...more }
}

export function patchOf(operations: unknown): object {
  return { schemas: [schemas.patch], Operations: operations }
}
