/** When a task runs on schedule, in cron notation (UTC). Of the processes that share a database, one runs it. */
export type Schedule = Record<string, string>

/** Minutes missed because the process could not run are caught up, up to an hour. */
const mostMissed = 60
const minuteLength = 60_000

/** Calls `due` for every minute that has tasks in the schedule, until stopped. */
export function followSchedule(schedule: Schedule, due: (tasks: string[], minute: Date) => void): { stop(): void } {
  // An error in a pattern ends the start, not the process some minutes later.
  for (const pattern of Object.values(schedule)) isDue(pattern, new Date())
  let last = Math.floor(Date.now() / minuteLength)
  let timer: NodeJS.Timeout

  function wait(): void {
    timer = setTimeout(tick, minuteLength - (Date.now() % minuteLength) + 10)
  }
  function tick(): void {
    const current = Math.floor(Date.now() / minuteLength)
    for (let one = Math.max(last + 1, current - mostMissed); one <= current; one++) run(new Date(one * minuteLength))
    last = Math.max(last, current) // a clock that is set back repeats nothing
    wait()
  }
  function run(minute: Date): void {
    const tasks = Object.entries(schedule).flatMap(([task, pattern]) => (isDue(pattern, minute) ? [task] : []))
    if (tasks.length > 0) due(tasks, minute)
  }

  wait()
  return { stop: () => clearTimeout(timer) }
}

/** Whether a time matches all five fields: minute, hour, day of month, month, day of week. */
export function isDue(pattern: string, minute: Date): boolean {
  const parts = [
    minute.getUTCMinutes(),
    minute.getUTCHours(),
    minute.getUTCDate(),
    minute.getUTCMonth() + 1,
    minute.getUTCDay(),
  ]
  const fields = pattern.split(' ')
  if (fields.length !== parts.length) throw new Error(`"${pattern}" is no schedule of five fields`)
  return fields.map((field, at) => matches(field, parts[at]!)).every(Boolean)
}

/** Supports only what our schedules need: `*`, a step such as `*` + `/5`, or a number. */
function matches(field: string, value: number): boolean {
  if (field === '*') return true
  const [, step, exact] = field.match(/^(?:\*\/(\d+)|(\d+))$/) ?? []
  if (step !== undefined) return value % Number(step) === 0
  if (exact !== undefined) return value === Number(exact)
  throw new Error(`"${field}" is no field of a schedule`)
}
