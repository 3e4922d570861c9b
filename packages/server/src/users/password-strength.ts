import { ApiError } from '../platform/http/api-error.ts'
import { lengthOf } from '../platform/text.ts'

const shortest = 6
const longest = 100
const fewestGuesses = 10_000

/** Throws unless the password is long enough and hard enough to guess for somebody who knows these words, too. */
export function checkNewPassword(password: string, known: string[] = []): void {
  const length = lengthOf(password)
  if (length < shortest || length > longest)
    throw new ApiError(`The password must have ${shortest} to ${longest} characters.`)
  if (estimateGuesses(password, known) < fewestGuesses) throw new ApiError('The password is too weak.')
}

/** What many people choose, the most frequent first. */
const common = `123456 password qwerty admin welcome letmein monkey dragon iloveyou football baseball master sunshine
princess shadow superman michael jordan hunter trustno1 batman login starwars passw0rd hello freedom whatever charlie
secret summer winter spring autumn george jessica pepper ginger hannah thomas daniel soccer hockey killer computer
internet service access flower cheese banana orange purple silver diamond matrix google samsung changeme default
qazwsx zaq12wsx abc123 asdf test guest root user temp love god money january february monday friday parley zulip
chat team company office london berlin paris`.split(/\s+/)

const runs = ['abcdefghijklmnopqrstuvwxyz', '01234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'qwertzuiopü']

/**
 * A modest estimate of how many guesses a password takes: it is cut into common words, repetitions, runs of the
 * alphabet or the keyboard, years, and single characters, each of which multiplies the guesses.
 */
export function estimateGuesses(password: string, known: string[] = []): number {
  const words = [...known.flatMap(partsOf), ...common]
  let rest = unleet(password.toLowerCase())
  let guesses = 1
  while (rest !== '' && guesses < Number.MAX_SAFE_INTEGER) {
    const piece = firstPiece(rest, words)
    guesses *= piece.guesses
    rest = rest.slice(piece.length)
  }
  return guesses
}

interface Piece {
  length: number
  guesses: number
}

function firstPiece(text: string, words: string[]): Piece {
  const pieces = [wordAt(text, words), repetitionAt(text), runAt(text), yearAt(text)]
  const found = pieces.filter((piece) => piece !== undefined).sort((a, b) => b.length - a.length)
  return found[0] ?? { length: 1, guesses: 10 }
}

function wordAt(text: string, words: string[]): Piece | undefined {
  const found = words
    .map((word, rank) => ({ length: word.length, guesses: 2 * (rank + 2), is: text.startsWith(word) }))
    .filter(({ is, length }) => is && length > 2)
    .sort((a, b) => b.length - a.length)
  return found[0]
}

/** `aaaa`, `abab`, `123123`: as good as what is repeated, and how often. */
function repetitionAt(text: string): Piece | undefined {
  const match = /^(.{1,8}?)\1+/s.exec(text)
  if (!match || match[0].length < 3) return undefined
  const times = match[0].length / match[1]!.length
  return { length: match[0].length, guesses: 10 ** Math.min(match[1]!.length, 3) * times }
}

function runAt(text: string): Piece | undefined {
  for (const forward of runs) {
    for (const run of [forward, [...forward].reverse().join('')]) {
      let length = 0
      const start = run.indexOf(text[0]!)
      while (start >= 0 && length < text.length && run[start + length] === text[length]) length++
      if (length > 2) return { length, guesses: 10 * length }
    }
  }
  return undefined
}

function yearAt(text: string): Piece | undefined {
  return /^(19|20)\d\d/.test(text) ? { length: 4, guesses: 50 } : undefined
}

function partsOf(text: string): string[] {
  return text.toLowerCase().split(/[^\p{L}\p{N}]+/u)
}

/** The usual disguises of letters. A digit among digits is a digit. */
function unleet(text: string): string {
  const plain: Record<string, string> = { '0': 'o', '3': 'e', '4': 'a', '5': 's', '@': 'a', $: 's', '1': 'i' }
  return text.replace(/(?<=[a-z])[0345@$1](?=[a-z])/g, (char) => plain[char]!)
}
