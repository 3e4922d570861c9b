import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { LoadEnd } from './load-end.ts'

/** What `--expose-gc` would make global. */
type Collect = (options: { type: 'major'; flavor: 'last-resort' }) => void

const checkMilliseconds = 3000

/**
 * Returns memory that only the start, or load that is over, needed to the operating system. An idle process allocates so
 * little that V8 would keep it for long, perhaps for hours.
 */
export function keepHeapCompact(): void {
  const compact = heapCompactor()
  compact()
  compactAfterLoad(compact)
}

/** Collects all garbage and returns its memory, in about 150 ms. */
export function heapCompactor(): () => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  return () => collect({ type: 'major', flavor: 'last-resort' })
}

function compactAfterLoad(compact: () => void): void {
  const load = new LoadEnd()
  let last = performance.eventLoopUtilization()
  setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(last)
    if (load.isReached(utilization, heapBytes())) compact()
    last = performance.eventLoopUtilization() // without the collection
  }, checkMilliseconds).unref()
}

function heapBytes(): number {
  const { total_heap_size, external_memory } = getHeapStatistics()
  return total_heap_size + external_memory
}
