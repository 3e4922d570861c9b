import pino, { type Logger } from 'pino'

/** Writes one JSON object per line to standard error, with the name of the level and an ISO time. */
export function createLog(level: string): Logger {
  const options = {
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (name: string) => ({ level: name }) },
  }
  return pino(options, pino.destination(2))
}
