import { createHook } from 'node:async_hooks'

/** Never read: they only keep the shape of ticks in use. */
const kept: object[] = []

/**
 * Keeps `process.nextTick` fast, which every request and response calls several times. Once a garbage collection finds no
 * tick in use, V8 forgets their shape and from then on creates each of them seven times as slowly. Call this before the
 * first full collection.
 */
export function keepTicksFast(): object[] {
  const init = (_id: number, _type: string, _trigger: number, tick: object) => void kept.push(tick)
  const hook = createHook({ init, trackPromises: false }).enable()
  process.nextTick(() => {})
  hook.disable()
  return kept
}
