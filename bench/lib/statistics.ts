export function percentile(values: number[], fraction: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN
}

export function median(values: number[]): number {
  return percentile(values, 0.5)
}

/** The median in milliseconds. */
export async function medianTime(rounds: number, act: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    await act()
    times.push(performance.now() - start)
  }
  return median(times)
}

export interface Row {
  measure: string
  subject: string
  reference: string
  ratio: string
  goal: string
}

export function ratio(value: number): string {
  return `${value.toFixed(2)} ×`
}
