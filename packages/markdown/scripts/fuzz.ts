/**
 * Renders nasty messages for as long as it is let, each batch from a seed of its own, and stops at the first whose HTML is
 * not as it should be: node packages/markdown/scripts/fuzz.ts [batches of 10,000, endless by default]
 */
import { randomInt } from 'node:crypto'
import { fuzz } from '../src/nasty-text.ts'

const batch = 10_000
const wanted = Number(process.argv[2] ?? Number.POSITIVE_INFINITY)

for (let done = 0; done < wanted; done++) {
  const seed = randomInt(2 ** 32)
  fuzz(batch, seed)
  console.log(`${(done + 1) * batch} messages are safe, the last ${batch} from seed ${seed}`)
}
