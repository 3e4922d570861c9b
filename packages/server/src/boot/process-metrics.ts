import cluster, { type Worker } from 'node:cluster'
import { AggregatorRegistry, type Registry } from 'prom-client'
import { ServiceUnavailable } from '../platform/http/api-error.ts'

/** A process asks the supervisor for the metrics of all processes, and gets the text; none if one did not answer. */
interface Request {
  metricsRequest: number
}
interface Answer extends Request {
  text: string | undefined
}

function isRequest(message: unknown): message is Request {
  return typeof message === 'object' && message !== null && 'metricsRequest' in message
}

/** In the supervisor: answers the processes. */
export function collectMetrics(): void {
  const all = new AggregatorRegistry()
  cluster.on('message', async (worker: Worker, message: unknown) => {
    if (!isRequest(message)) return
    const text = await all.clusterMetrics().catch(() => undefined)
    if (worker.isConnected()) worker.send({ ...message, text } satisfies Answer)
  })
}

/** In a process: answers the supervisor, with nothing while the process starts. */
export function answerSupervisor(): void {
  AggregatorRegistry.setRegistries([])
  new AggregatorRegistry()
}

/** In a process that serves: takes part in the metrics of all. */
export function shareMetrics(registry: Registry): void {
  if (cluster.isWorker) AggregatorRegistry.setRegistries(registry)
}

let requests = 0

/** The metrics of all processes on this port, as the text that Prometheus reads. */
export function readMetrics(registry: Registry): Promise<string> {
  if (!cluster.isWorker) return registry.metrics()
  const metricsRequest = requests++
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const receive = (message: unknown) => {
    if (!isRequest(message) || message.metricsRequest !== metricsRequest) return
    process.off('message', receive)
    const { text } = message as Answer
    if (text === undefined) reject(new ServiceUnavailable('A process did not report its metrics.'))
    else resolve(text)
  }
  process.on('message', receive)
  process.send!({ metricsRequest } satisfies Request)
  return promise
}
