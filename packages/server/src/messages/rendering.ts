import { Worker } from 'node:worker_threads'
import type { RenderContext } from '@parley/markdown/context'
import { type Rendered, render } from '@parley/markdown/render'
import { ApiError } from '../platform/http/api-error.ts'
import { type MediaProxy, throughProxy } from './media-proxy.ts'

/** Short texts cannot take long; others are rendered aside, where they can be given up. */
const longText = 2000
const defaultDeadline = 5000

export class CannotRender extends ApiError {
  constructor() {
    super('Unable to render message')
  }
}

export interface RendererOptions {
  /** Absent: pictures from elsewhere are fetched by whoever reads the message. */
  proxy?: MediaProxy | undefined
  deadlineMilliseconds?: number
}

interface Job {
  /** Whether the text has been tried before, and now goes without what costs the most. */
  again?: boolean
  content: string
  context: RenderContext
  resolve: (rendered: Rendered) => void
  reject: (error: Error) => void
}

/**
 * Renders message text. One message cannot stop the server: what may be slow runs in a worker under a deadline. After
 * half of it the text is tried once more, without colours in its code.
 */
export class Renderer {
  #worker: Worker | undefined
  #ready = false
  #running: Job | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #jobs: Job[] = []
  readonly #options: RendererOptions

  constructor(options: RendererOptions = {}) {
    this.#options = options
  }

  render(content: string, context: RenderContext): Rendered | Promise<Rendered> {
    if (content.length <= longText && !needsHeavyMachinery(content))
      return render(content, { ...context, ...throughProxy(this.#options.proxy) })
    return new Promise((resolve, reject) => {
      this.#jobs.push({ content, context, resolve, reject })
      this.#next()
    })
  }

  async close(): Promise<void> {
    await this.#worker?.terminate()
  }

  #next(): void {
    if (this.#running || this.#jobs.length === 0) return
    const job = this.#jobs.shift()!
    this.#running = job
    const context = job.again ? { ...job.context, highlighting: false } : job.context
    this.#started().postMessage({ content: job.content, context })
    if (this.#ready) this.#setTimer()
  }

  #setTimer(): void {
    const deadline = this.#options.deadlineMilliseconds ?? defaultDeadline
    this.#timer = setTimeout(() => this.#giveUp(), deadline / 2)
  }

  #started(): Worker {
    if (this.#worker) return this.#worker
    const worker = new Worker(new URL('./rendering-worker.ts', import.meta.url), {
      workerData: { proxy: this.#options.proxy },
    })
    worker.unref()
    worker.on('message', (answer: Rendered | null | 'ready') => {
      // What one that was given up still says is about a text that is no longer waiting.
      if (worker !== this.#worker) return
      if (answer === 'ready') this.#begin()
      else this.#finish(answer)
    })
    worker.on('error', () => {
      if (worker === this.#worker) this.#giveUp()
    })
    this.#worker = worker
    return worker
  }

  /** Starting a worker takes a while, which is no fault of the text that waits for it. */
  #begin(): void {
    this.#ready = true
    if (this.#running) this.#setTimer()
  }

  /** The worker is stuck or broken: end it; the next text gets a new one. */
  #giveUp(): void {
    const worker = this.#worker
    this.#worker = undefined
    this.#ready = false
    clearTimeout(this.#timer)
    void worker?.terminate()
    const job = this.#running
    if (!job || job.again) this.#finish(null)
    else {
      this.#running = undefined
      this.#jobs.unshift({ ...job, again: true })
      this.#next()
    }
  }

  #finish(rendered: Rendered | null): void {
    clearTimeout(this.#timer)
    const job = this.#running
    this.#running = undefined
    if (rendered) job?.resolve(rendered)
    else job?.reject(new CannotRender())
    this.#next()
  }
}

/** Math and code pull in large libraries, which the main thread then need not load. */
function needsHeavyMachinery(content: string): boolean {
  return content.includes('```') || content.includes('~~~') || content.includes('$$')
}
