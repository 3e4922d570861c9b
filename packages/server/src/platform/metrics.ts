import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Sums of gauges by type, which stay; `_total` is for counters only. */
const misnamed = ['handles', 'requests', 'resources'].map((kind) => `nodejs_active_${kind}_total`)

/** The metrics that Prometheus reads from /metrics. */
export class Metrics {
  readonly registry = new Registry()
  readonly requests = new Counter({
    name: 'parley_http_requests_total',
    help: 'Answered requests by operation and status.',
    labelNames: ['operation', 'status'],
    registers: [this.registry],
    collect: () => this.#addAnswered(),
  })
  readonly slowRequests = new Histogram({
    name: 'parley_http_request_seconds',
    help: 'Time to answer, waiting polls left out.',
    labelNames: ['operation'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [this.registry],
  })
  readonly sent = new Counter({
    name: 'parley_messages_sent_total',
    help: 'Messages stored by this process.',
    registers: [this.registry],
  })
  readonly batches = new Counter({
    name: 'parley_send_batches_total',
    help: 'Commits that stored messages; sent / batches is how well they are bundled.',
    registers: [this.registry],
  })
  readonly delivered = new Counter({
    name: 'parley_events_delivered_total',
    help: 'Events written to clients.',
    registers: [this.registry],
  })
  readonly slowClients = new Counter({
    name: 'parley_slow_clients_total',
    help: 'Connections reset because the client did not read: past the deadline, or over the limit of its user or of the process.',
    labelNames: ['reason'],
    registers: [this.registry],
  })
  readonly slowStatements = new Counter({
    name: 'parley_slow_statements_total',
    help: 'Statements that took the database half a second or longer.',
    registers: [this.registry],
  })
  readonly jobs = new Counter({
    name: 'parley_jobs_total',
    help: 'Attempts at background jobs by this process, by task and by whether they were done or failed.',
    labelNames: ['task', 'outcome'],
    registers: [this.registry],
  })

  /** Responses since the metrics were last read, by operation and status. Plain numbers, because every request adds one. */
  readonly #answered = new Map<string, Map<number, number>>()
  /** Looked up by label once and cached. */
  readonly #timers = new Map<string, Histogram.Internal<string>>()

  constructor() {
    // The default samples the event loop every 10 ms, which is most of the CPU time of an idle server.
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: 1000 })
    for (const name of misnamed) this.registry.removeSingleMetric(name)
    this.#observe('parley_processes', 'Processes that report these metrics together.', () => 1)
  }

  /** Counts a response and, unless it was a long poll, its duration. */
  answered(operation: string, status: number, milliseconds?: number): void {
    const byStatus = cached(this.#answered, operation, () => new Map<number, number>())
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
    if (milliseconds === undefined) return
    cached(this.#timers, operation, () => this.slowRequests.labels(operation)).observe(milliseconds / 1000)
  }

  #addAnswered(): void {
    for (const [operation, byStatus] of this.#answered)
      for (const [status, count] of byStatus) this.requests.inc({ operation, status }, count)
    this.#answered.clear()
  }

  /** Counts the clients that wait for an event, when the metrics are read. */
  observeWaiting(count: () => number): void {
    this.#observe('parley_waiting_polls', 'Clients waiting for an event.', count)
  }

  observeUnsent(count: () => number): void {
    this.#observe('parley_unsent_bytes', 'Bytes of responses that clients have not read yet.', count)
  }

  #observe(name: string, help: string, count: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(count())
      },
    })
  }
}

function cached<T>(cache: Map<string, T>, key: string, make: () => T): T {
  const known = cache.get(key)
  if (known) return known
  const made = make()
  cache.set(key, made)
  return made
}
