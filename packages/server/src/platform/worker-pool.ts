import { availableParallelism } from 'node:os'
import { type ResourceLimits, Worker } from 'node:worker_threads'
import { FairQueue } from './fair-queue.ts'

/** The task failed, or took longer than its deadline. */
export class TaskFailed extends Error {}

export interface WorkerPoolOptions {
  /** The worker's module. It answers every message with `{ result }`, or with `{}` if it failed. */
  module: URL
  workerData?: unknown
  /** A worker that exceeds them ends, and its task fails. */
  resourceLimits?: ResourceLimits
  /** One per core if not given. */
  workers?: number
  waitingPerOwner?: number
  waitingInTotal?: number
}

/** At least two: one owner may use half of them, so one is always left for the others. */
const defaultWorkers = Math.max(2, availableParallelism())

/** Loading the libraries again takes about half a second; the memory of two workers is 90 MB. */
const idleMilliseconds = 5 * 60_000

/** Runs tasks in worker threads, where they do not block the event loop and can be stopped. Owners take turns. */
export class WorkerPool {
  readonly #idle: Promise<Worker>[] = []
  readonly #all = new Set<Worker>()
  readonly #queue: FairQueue
  readonly #options: WorkerPoolOptions
  #idleTimer: NodeJS.Timeout | undefined

  constructor(options: WorkerPoolOptions) {
    this.#options = options
    const { workers: concurrency = defaultWorkers, waitingPerOwner = 50, waitingInTotal = 1000 } = options
    const concurrencyPerOwner = Math.ceil(concurrency / 2)
    this.#queue = new FairQueue({ concurrency, concurrencyPerOwner, waitingPerOwner, waitingInTotal })
  }

  run<Result>(owner: string, task: unknown, deadlineMilliseconds: number): Promise<Result> {
    return this.#queue.run(owner, async () => {
      // The deadline does not include the start of a worker.
      const worker = await this.#take()
      try {
        const result = await answerOf<Result>(worker, task, deadlineMilliseconds)
        this.#idle.push(Promise.resolve(worker))
        this.#releaseLater()
        return result
      } catch (error) {
        await this.#stop(worker)
        throw error
      }
    })
  }

  /** Stops the workers without a task. The next tasks start new ones. */
  async release(): Promise<void> {
    const idle = await Promise.allSettled(this.#idle.splice(0))
    for (const one of idle) if (one.status === 'fulfilled') await this.#stop(one.value)
  }

  async close(): Promise<void> {
    clearTimeout(this.#idleTimer)
    await Promise.all([...this.#all].map((worker) => this.#stop(worker)))
  }

  #releaseLater(): void {
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => void this.release(), idleMilliseconds).unref()
  }

  /** Starts a spare together with the first worker, so that a second owner does not wait for one to start. */
  #take(): Promise<Worker> {
    if (this.#all.size === 0 && this.#options.workers !== 1) this.#idle.push(this.#start(), this.#start())
    return this.#idle.pop() ?? this.#start()
  }

  #start(): Promise<Worker> {
    const worker = new Worker(this.#options.module, {
      workerData: this.#options.workerData,
      ...(this.#options.resourceLimits && { resourceLimits: this.#options.resourceLimits }),
    })
    this.#all.add(worker)
    return new Promise((resolve, reject) => {
      worker.once('error', reject)
      // The worker reports that it is ready. From then on it does not keep the process alive.
      worker.once('message', () => {
        worker.unref()
        resolve(worker)
      })
    })
  }

  async #stop(worker: Worker): Promise<void> {
    this.#all.delete(worker)
    await worker.terminate()
  }
}

function answerOf<Result>(worker: Worker, task: unknown, deadlineMilliseconds: number): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  const fail = () => reject(new TaskFailed())
  const timer = setTimeout(fail, deadlineMilliseconds)
  const answered = (answer: { result?: Result }) => (answer.result === undefined ? fail() : resolve(answer.result))
  worker.once('message', answered)
  worker.once('exit', fail)
  worker.postMessage(task)
  return promise.finally(() => {
    clearTimeout(timer)
    worker.off('message', answered)
    worker.off('exit', fail)
  })
}
