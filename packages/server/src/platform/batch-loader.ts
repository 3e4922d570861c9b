interface Asked<Key, Value> {
  key: Key
  found: PromiseWithResolvers<Value>
}

/** Loads the keys requested in the same tick together. `lookUp` returns one value per key. */
export function batched<Key, Value>(lookUp: (keys: Key[]) => Promise<Value[]>): (key: Key) => Promise<Value> {
  let waiting: Asked<Key, Value>[] = []

  async function answer(): Promise<void> {
    const batch = waiting
    waiting = []
    try {
      const values = await lookUp(batch.map(({ key }) => key))
      for (const [index, { found }] of batch.entries()) found.resolve(values[index]!)
    } catch (error) {
      for (const { found } of batch) found.reject(error)
    }
  }

  return (key) => {
    if (waiting.length === 0) setImmediate(answer)
    const found = Promise.withResolvers<Value>()
    waiting.push({ key, found })
    return found.promise
  }
}
