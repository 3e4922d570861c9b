import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { LoadEnd } from './load-end.ts'

/** What `--expose-gc` would make global. */
type Collect = (options: { type: 'major'; flavor?: 'last-resort' }) => void

const checkMilliseconds = 3000

/** Returns memory that only the start, or load that is over, needed to the operating system. */
export function keepHeapCompact(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  // An idle process allocates so little that V8 would keep the 50 MB for hours. Takes about 150 ms.
  collect({ type: 'major', flavor: 'last-resort' })
  collectAfterLoad(collect)
}

/**
 * V8 reduces the heap in small steps, 8 s after a full collection. It starts one only when enough was allocated since the
 * last, which after load may never happen. So we start it when nobody waits: it takes about 70 ms.
 */
function collectAfterLoad(collect: Collect): void {
  const load = new LoadEnd()
  let last = performance.eventLoopUtilization()
  setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(last)
    if (load.isReached(utilization, heapBytes())) collect({ type: 'major' })
    last = performance.eventLoopUtilization() // without the collection
  }, checkMilliseconds).unref()
}

function heapBytes(): number {
  const { total_heap_size, external_memory } = getHeapStatistics()
  return total_heap_size + external_memory
}
