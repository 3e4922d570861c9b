import { Worker } from 'node:worker_threads'
import type { RenderContext } from '@parley/markdown/context'
import { type Rendered, render } from '@parley/markdown/render'
import { ApiError } from '../platform/http/api-error.ts'

/** Short texts cannot take long; others are rendered aside, where they can be given up. */
const longText = 2000
const deadlineMilliseconds = 5000

export class CannotRender extends ApiError {
  constructor() {
    super('Unable to render message')
  }
}

interface Job {
  content: string
  context: RenderContext
  resolve: (rendered: Rendered) => void
  reject: (error: Error) => void
}

/** Renders message text. One message cannot stop the server: what may be slow runs in a worker under a deadline. */
export class Renderer {
  #worker: Worker | undefined
  #running: Job | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #jobs: Job[] = []

  render(content: string, context: RenderContext): Rendered | Promise<Rendered> {
    if (content.length <= longText && !needsHeavyMachinery(content)) return render(content, context)
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
    this.#timer = setTimeout(() => this.#giveUp(), deadlineMilliseconds)
    this.#started().postMessage({ content: job.content, context: job.context })
  }

  #started(): Worker {
    if (this.#worker) return this.#worker
    const worker = new Worker(new URL('./rendering-worker.ts', import.meta.url))
    worker.unref()
    worker.on('message', (rendered: Rendered | null) => this.#finish(rendered))
    worker.on('error', () => this.#giveUp())
    this.#worker = worker
    return worker
  }

  /** The worker is stuck or broken: end it; the next text gets a new one. */
  #giveUp(): void {
    const worker = this.#worker
    this.#worker = undefined
    void worker?.terminate()
    this.#finish(null)
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
