// Marks replace parts that are already rendered. They consist of control characters, which authors cannot write: normalizing
// removes them.
export const markStart = '\u0002'
export const markEnd = '\u0003'

/** Finds the marks of finished inline parts. */
export const inlineMarks = new RegExp(`${markStart}(\\d+)${markEnd}`, 'g')
/** Matches text that consists only of the mark of an inline part. */
export const onlyInlineMark = new RegExp(`^${markStart}(\\d+)${markEnd}$`)
/** Matches text that consists only of the mark of a fenced block. */
export const onlyFenceMark = new RegExp(`^${markStart}f(\\d+)${markEnd}$`)

/** The mark of an inline part. */
export function inlineMark(index: number): string {
  return `${markStart}${index}${markEnd}`
}

/** The mark of a fenced block. */
export function fenceMark(index: number): string {
  return `${markStart}f${index}${markEnd}`
}
