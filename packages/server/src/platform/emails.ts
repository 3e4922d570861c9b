/** Symbols that share their lower case with a letter: in lower case, an email with one would be another person's. */
const lettersOnly = /[^\u03F4\u2126\u212A\u212B]+/g

/** The form in which emails are compared: lower case, and nothing else. */
export function emailKey(email: string): string {
  return email.replace(lettersOnly, (part) => part.toLowerCase())
}

/** What follows the last `@`, in lower case. */
export function emailDomain(email: string): string {
  return emailKey(email.slice(email.lastIndexOf('@') + 1))
}

/** Whether a character looks like another one (NFKC makes it that one), is invisible, or changes the direction. */
export function hasLookalikes(email: string): boolean {
  return (
    /[\p{Control}\p{Format}\p{Surrogate}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}]/u.test(email) ||
    [...email].some(isCompatible)
  )
}

function isCompatible(character: string): boolean {
  return character.normalize('NFKC') !== character
}
