/** Every picture is taken at this moment: Wednesday, 14 October 2026, 10:42 in Berlin. */
export const frozen = Date.UTC(2026, 9, 14, 8, 42) / 1000
export const timeZone = 'Europe/Berlin'
/** Seconds: what the server says within this time before the gallery started is a time, and not another number. */
const past = 400 * 86_400

/**
 * The answers of the server, as if it had been started at the frozen moment, and its clock had stood still since then.
 * `start` is when it was really started, in seconds.
 */
export function frozenTimes(json: string, start: number): string {
  return json.replace(/(?<![\d"#/.-])\d{10}(?![\d"])/g, (digits) => {
    const time = Number(digits)
    if (time < start - past || time > start + past) return digits
    return String(isDuringRun(time, start) ? frozen : time - start + frozen)
  })
}

/** Seconds. What lies further ahead is a date that someone chose. */
const longestRun = 3000

function isDuringRun(time: number, start: number): boolean {
  return time >= start && time < start + longestRun
}

/** Makes a page see frozen times in what it fetches. Runs in the page, before its scripts. */
export function freezeScript(start: number): string {
  return `{
    const past = ${past}, longestRun = ${longestRun}, frozen = ${frozen}
    const isDuringRun = ${isDuringRun}
    const frozenTimes = ${frozenTimes}
    const real = window.fetch
    window.fetch = async (...request) => {
      const response = await real(...request)
      if (!response.url.includes('/api/v1/') || response.status === 204) return response
      return new Response(frozenTimes(await response.text(), ${start}), response)
    }
  }`
}
