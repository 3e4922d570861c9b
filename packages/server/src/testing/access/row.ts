import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { Operation } from '@parley/api/operation'
import type { FastifyInstance } from 'fastify'
import { fingerprint } from '../fingerprint.ts'
import { assertError, assertResponse } from '../schema.ts'
import { type AccessWorld, type Caller, columns, type Stage, spareCaller } from './callers.ts'
import { type Refusals, refusalIn } from './refusals.ts'
import { type Answer, ask, type Values } from './request.ts'
import { aboutNothing, stableBody } from './stable-bodies.ts'

/**
 * One request, made by a caller of every kind. `outcomes` has one character for each, and each stands for a whole
 * body:
 *
 * - `✓` done, with the same body for every ✓ of the row; `a`, `b`, `c`: done, with other bodies
 * - `s` done; the body is about the caller
 * - `x` done, with the same bytes as if the object did not exist
 * - `X` refused, with the same bytes as if the object did not exist
 * - any other: the refusal of that letter in refusals.ts, or in the row
 */
export interface Row {
  does: string
  operation: Operation
  /** Created once for all refused callers, and again for each caller who succeeds. */
  request: (stage: Stage, caller: Caller) => Values | Promise<Values>
  outcomes: string
  refusals?: Refusals | undefined
  /** The one value of the request that `X` is about; by default all ids in it. */
  hides?: string | undefined
  /** The request ends the caller's account or key, so every caller needs its own account. */
  spendsCaller?: boolean | undefined
}

interface Request {
  caller: Caller
  stage: Stage
  values: Values
  headers: Record<string, string>
  expected: string
}

interface Cell {
  caller: Caller
  status: number
  body: string
  /** The body with the caller's own id replaced by a name. */
  ownBody: string
  outcome: string
}

const succeeds = (outcome: string) => /[✓a-z]/.test(outcome)
const unnamed = '?'

export class MatrixRun {
  readonly #access: AccessWorld
  readonly #app: FastifyInstance
  assertions = 0

  constructor(access: AccessWorld, app: FastifyInstance = access.main.app) {
    this.#access = access
    this.#app = app
  }

  /** Makes the row's requests and compares every response with the table. */
  async verify(row: Row): Promise<void> {
    const expected = [...row.outcomes.replaceAll(' ', '')]
    assert.equal(expected.length, columns.length, `${row.does}: one outcome per caller`)
    const cells = nameSuccesses(await this.#cells(row, expected), expected)
    const wrong = cells.filter(({ outcome }, index) => outcome !== expected[index])
    const shown = wrong.map(({ caller, outcome, body }) => `${caller} ${outcome} ${body.slice(0, 900)}`).join('\n')
    assert.equal(grouped(cells.map(({ outcome }) => outcome)), grouped(expected), `${row.does}\n${shown}\n`)
    this.assertions += cells.length
  }

  async #cells(row: Row, expected: string[]): Promise<Cell[]> {
    const refused = columns.filter((_, index) => !succeeds(expected[index]!))
    const cells = [
      ...(await this.#refusedCells(
        row,
        refused.filter((caller) => caller !== 'LG'),
      )),
      ...(await this.#refusedCells(
        row,
        refused.filter((caller) => caller === 'LG'),
      )),
    ]
    for (const [index, caller] of columns.entries())
      if (!refused.includes(caller))
        cells.push(await this.#cell(row, await this.#prepare(row, caller, expected[index])))
    return cells.sort((a, b) => columns.indexOf(a.caller) - columns.indexOf(b.caller))
  }

  /** Refused requests change nothing in the realm. */
  async #refusedCells(row: Row, refused: Caller[]): Promise<Cell[]> {
    if (refused.length === 0) return []
    const requests: Request[] = []
    for (const caller of refused) {
      const reused = row.request.length > 1 ? undefined : requests[0]?.values
      requests.push(await this.#prepare(row, caller, 'refused', reused))
    }
    const { stage } = requests[0]!
    const compare = row.operation.method !== 'GET'
    const before = compare && (await fingerprint(stage))
    const cells: Cell[] = []
    for (const request of requests) cells.push(await this.#cell(row, request))
    if (compare) assert.deepEqual(await fingerprint(stage), before, `${row.does}: a refused request changed something`)
    return cells
  }

  async #prepare(row: Row, caller: Caller, expected = '', reused?: Values): Promise<Request> {
    const stage = caller === 'LG' ? this.#access.limited : this.#access.main
    const values = reused ?? (await row.request(stage, caller))
    return { caller, stage, values, expected, headers: await this.#headersOf(row, stage, caller) }
  }

  async #headersOf({ spendsCaller }: Row, stage: Stage, caller: Caller): Promise<Record<string, string>> {
    if (caller === 'AN') return { host: stage.host }
    const standing = stage.actors[caller === 'LG' ? 'GU' : caller]
    const actor = spendsCaller ? await spareCaller(stage, this.#access.elsewhere, caller) : standing
    return caller === 'FK' ? { ...actor.headers, host: stage.host } : actor.headers
  }

  async #cell(row: Row, request: Request): Promise<Cell> {
    const { caller, stage, expected } = request
    const answer = await this.#ask(row, request)
    const body = stableBody(answer.body, stage.known)
    const ownBody = caller === 'AN' ? body : body.replaceAll(`{${caller === 'LG' ? 'GU' : caller}}`, '{caller}')
    const cell = { caller, body, ownBody, status: answer.status, outcome: refusalIn(body, row.refusals) ?? unnamed }
    const isRepeatable = row.operation.method === 'GET' || answer.status !== 200 || expected === 'x'
    if (cell.outcome !== unnamed || !isRepeatable || !(await this.#isAsMissing(row, request, answer.status, body)))
      return cell
    return { ...cell, outcome: answer.status === 200 ? 'x' : 'X' }
  }

  /** Whether the same request about a missing object gives the same bytes. */
  async #isAsMissing(row: Row, request: Request, status: number, body: string): Promise<boolean> {
    const { stage, values } = request
    const missing = aboutNothing(values, namesIn(stage), row.hides)
    if (isDeepStrictEqual(missing, values)) return false
    const answer = await this.#ask(row, { ...request, values: missing })
    return answer.status === status && stableBody(answer.body, stage.known) === body
  }

  async #ask({ operation }: Row, { headers, values }: Request): Promise<Answer> {
    const answer = await ask(this.#app, headers, operation, values)
    if (answer.status === 200) assertResponse(operation.name, answer.body)
    else assertError(answer.body)
    assert.ok(answer.status < 500, `${operation.name} answered ${answer.status}`)
    return answer
  }
}

const namesIn = ({ plaza, market, den, vault, ruin }: Stage) =>
  new Set(['verona', 'padua', ...[plaza, market, den, vault, ruin].map(({ name }) => name)])

const letters = '✓abcdefghijklm'

/** Equal bodies get equal letters, those of this realm first. */
function nameSuccesses(cells: Cell[], expected: string[]): Cell[] {
  const bodies: Cell[] = []
  const letterOf = (cell: Cell) => {
    const known = bodies.findIndex(({ body, ownBody }) => body === cell.body || ownBody === cell.ownBody)
    return letters[known < 0 ? bodies.push(cell) - 1 : known] ?? unnamed
  }
  const named = (cell: Cell) => {
    if (cell.status !== 200 || cell.outcome !== unnamed) return cell
    return { ...cell, outcome: expected[columns.indexOf(cell.caller)] === 's' ? 's' : letterOf(cell) }
  }
  const abroad = cells.findIndex(({ caller }) => caller === 'XR')
  const here = cells.map((cell, index) => (index === abroad ? cell : named(cell)))
  return here.map((cell, index) => (index === abroad ? named(cell) : cell))
}

/** Outsiders, guests, members, staff, bots, incoming-webhook bots. */
function grouped(outcomes: string[]): string {
  return outcomes.join('').replace(/^(.{4})(.{2})(.{4})(.{3})(.{3})/u, '$1 $2 $3 $4 $5 ')
}
