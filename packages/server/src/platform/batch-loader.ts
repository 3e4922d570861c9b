interface Asked<Key, Value> {
  key: Key
  found: PromiseWithResolvers<Value>
}

/**
 * Loads the keys requested in the same tick together. `lookUp` returns one value per key. `isSequential`: keys that are
 * requested during a lookup wait for the next one, so that a slow database does not get more of them. `defer` says what
 * counts as the same tick.
 */
export function batched<Key, Value>(
  lookUp: (keys: Key[]) => Promise<Value[]>,
  { isSequential = false, defer = setImmediate as (callback: () => void) => void } = {},
): (key: Key) => Promise<Value> {
  let waiting: Asked<Key, Value>[] = []
  let isLookingUp = false

  async function answer(): Promise<void> {
    const batch = waiting
    waiting = []
    isLookingUp = isSequential
    try {
      const values = await lookUp(batch.map(({ key }) => key))
      for (const [index, { found }] of batch.entries()) found.resolve(values[index]!)
    } catch (error) {
      for (const { found } of batch) found.reject(error)
    }
    if (isLookingUp && waiting.length > 0) void answer()
    else isLookingUp = false
  }

  return (key) => {
    if (waiting.length === 0 && !isLookingUp) defer(answer)
    const found = Promise.withResolvers<Value>()
    waiting.push({ key, found })
    return found.promise
  }
}
