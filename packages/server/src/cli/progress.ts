export interface Progress {
  add(count: number): void
  end(): void
}

const width = 24
const drawMilliseconds = 200

/** A bar on the terminal with rate and time left, and nothing elsewhere. `total` 0: only the count and the rate. */
export function startProgress(what: string, total: number): Progress {
  const { stderr } = process
  if (!stderr.isTTY) return { add() {}, end() {} }
  const startedAt = performance.now()
  let done = 0
  const draw = () =>
    stderr.write(`\r\x1b[K${progressLine({ what, done, total, seconds: (performance.now() - startedAt) / 1000 })}`)
  const timer = setInterval(draw, drawMilliseconds)
  return {
    add(count) {
      done += count
    },
    end() {
      clearInterval(timer)
      stderr.write('\r\x1b[K')
    },
  }
}

export interface Done {
  what: string
  done: number
  total: number
  seconds: number
}

export function progressLine({ what, done, total, seconds }: Done): string {
  const rate = seconds > 0 ? done / seconds : 0
  const counted = `${done} ${total > 0 ? `of ${total} ` : ''}${what}, ${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`
  if (total === 0) return counted
  const filled = Math.min(width, Math.floor((width * done) / total))
  const left = rate > 0 ? `, ${durationOf((total - done) / rate)} left` : ''
  return `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${counted}${left}`
}

function durationOf(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds))
  if (whole < 60) return `${whole} s`
  const minutes = Math.ceil(whole / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
