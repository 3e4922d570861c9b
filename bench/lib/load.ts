import { Connection } from './connection.ts'

/** Keeps this many connections busy for a while and returns the requests per second. */
export async function requestsPerSecond(
  port: number,
  connections: number,
  seconds: number,
  next: () => string,
): Promise<number> {
  return (await load(port, connections, seconds, next)).perSecond
}

/** The same, and how long each request took, in milliseconds. */
export async function load(port: number, connections: number, seconds: number, next: () => string) {
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)))
  await run(open, Math.min(1, seconds / 3), next) // warm up
  const started = performance.now()
  const times = await run(open, seconds, next)
  const elapsed = (performance.now() - started) / 1000
  for (const connection of open) connection.close()
  return { perSecond: times.length / elapsed, times }
}

async function run(open: Connection[], seconds: number, next: () => string): Promise<number[]> {
  const end = performance.now() + seconds * 1000
  const times: number[] = []
  await Promise.all(
    open.map(async (connection) => {
      while (performance.now() < end) {
        const started = performance.now()
        const body = await connection.ask(next())
        if (!body.includes('"success"')) throw new Error(`refused: ${body.toString().slice(0, 300)}`)
        times.push(performance.now() - started)
      }
    }),
  )
  return times
}
