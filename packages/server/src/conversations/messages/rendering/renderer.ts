import type { RenderContext } from '@parley/markdown/context'
import { type Rendered, render } from '@parley/markdown/render'
import { type Caller, queueOwner } from '../../../callers/caller.ts'
import { mapYielding } from '../../../platform/event-loop.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { moduleUrl } from '../../../platform/installation.ts'
import { TaskFailed, WorkerPool } from '../../../platform/worker-pool.ts'
import { htmlDiff } from '../fetch/history-diff.ts'
import { type Found, markDocuments, wordsIn } from '../fetch/search-highlights.ts'
import { type MediaProxy, throughProxy } from './media-proxy.ts'

/** Longer texts go to a worker, which can be stopped. */
const longText = 2000
const defaultDeadline = 4000

export class CannotRender extends ApiError {
  constructor() {
    super('Unable to render message')
  }
}

export interface RendererOptions {
  /** Absent: readers fetch external images themselves. */
  proxy?: MediaProxy | undefined
  deadlineMilliseconds?: number
}

/** A task for the worker. */
export type Task =
  | { kind: 'render'; content: string; context: RenderContext; isPlain: boolean }
  | { kind: 'diff'; pairs: [before: string, after: string][] }
  | { kind: 'words'; texts: string[] }
  | { kind: 'mark'; texts: string[]; found: Found }

type Owner = Pick<Caller, 'realm_id' | 'id' | 'bot_owner_id'>

/**
 * Renders message text to HTML, and diffs or highlights that HTML. Work that may be slow runs in workers with a
 * deadline, in a queue that is fair between users.
 */
export class Renderer {
  readonly #pool: WorkerPool
  readonly #options: RendererOptions
  /** For texts that are rendered in the main thread. */
  readonly #plainContext: RenderContext

  constructor(options: RendererOptions = {}) {
    this.#options = options
    this.#plainContext = { ...throughProxy(options.proxy), mayDecorate: () => false }
    this.#pool = new WorkerPool({ module: moduleUrl('renderWorker'), workerData: { proxy: options.proxy } })
  }

  /** A text that takes too long is retried without code highlighting and formulas, and refused if that fails too. */
  render(owner: Owner, content: string, context: RenderContext): Rendered | Promise<Rendered> {
    if (rendersFast(content)) return this.renderNow(content, context)
    const rendering = (isPlain: boolean) => this.#run<Rendered>(owner, { kind: 'render', content, context, isPlain })
    return rendering(false)
      .catch((error) => {
        if (error instanceof TaskFailed) return rendering(true)
        throw error
      })
      .catch((error) => {
        throw error instanceof TaskFailed ? new CannotRender() : error
      })
  }

  /** Renders in the main thread, without code highlighting and formulas. For use in an open transaction. */
  renderNow(content: string, context: RenderContext): Rendered {
    return render(content, { ...context, ...this.#plainContext })
  }

  /** The differences within each pair of HTML texts; a coarse diff where a precise one takes too long. */
  async diff(owner: Owner, pairs: [before: string, after: string][]): Promise<string[]> {
    if (pairs.length === 0) return []
    return this.#run<string[]>(owner, { kind: 'diff', pairs }).catch((error) => {
      if (error instanceof TaskFailed) return mapYielding(pairs, ([before, after]) => htmlDiff(before, after, 0))
      throw error
    })
  }

  /** The distinct words of the HTML texts, in lower case; none if that takes too long. */
  async words(owner: Owner, texts: string[]): Promise<string[]> {
    if (isSmall(texts)) return wordsIn(texts)
    return this.#run<string[]>(owner, { kind: 'words', texts }).catch((error) => {
      if (error instanceof TaskFailed) return []
      throw error
    })
  }

  /** The HTML texts with search matches highlighted; without highlights if that takes too long. */
  async mark(owner: Owner, texts: string[], found: Found): Promise<string[]> {
    if (isSmall(texts, found.literals.length + found.beginnings.length)) return markDocuments(texts, found)
    return this.#run<string[]>(owner, { kind: 'mark', texts, found }).catch((error) => {
      if (error instanceof TaskFailed) return texts
      throw error
    })
  }

  /** Frees the memory of the workers until they are needed again. */
  release(): Promise<void> {
    return this.#pool.release()
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  #run<Result>(owner: Owner, task: Task): Promise<Result> {
    const deadline = this.#options.deadlineMilliseconds ?? defaultDeadline
    return this.#pool.run<Result>(queueOwner(owner), task, deadline / 2)
  }
}

/** Whether the main thread renders a text: that costs less than a query. */
export function rendersFast(content: string): boolean {
  return content.length <= longText && !needsWorker(content)
}

/** Fenced code, indented code with a shebang line, and formulas need large libraries, which only workers load. */
function needsWorker(content: string): boolean {
  return ['```', '~~~', '$$', '#!'].some((sign) => content.includes(sign))
}

/** Number of characters times number of patterns that takes a few milliseconds. */
const smallWork = 100_000

function isSmall(texts: string[], patterns = 0): boolean {
  return texts.reduce((sum, text) => sum + text.length, 0) * (patterns + 1) <= smallWork
}
