// Marks stand for parts already rendered. They are made of control characters, which no author can write: normalizing
// removes them.
export const markStart = '\u0002'
export const markEnd = '\u0003'

/** Finds the marks of finished inline parts. */
export const inlineMarks = new RegExp(`${markStart}(\\d+)${markEnd}`, 'g')
/** Matches text that is nothing but the mark of an inline part. */
export const onlyInlineMark = new RegExp(`^${markStart}(\\d+)${markEnd}$`)
/** Matches text that is nothing but the mark of a fenced block. */
export const onlyFenceMark = new RegExp(`^${markStart}f(\\d+)${markEnd}$`)

/** The mark of an inline part. */
export function inlineMark(index: number): string {
  return `${markStart}${index}${markEnd}`
}

/** The mark of a fenced block. */
export function fenceMark(index: number): string {
  return `${markStart}f${index}${markEnd}`
}
