// Loaded into a measured process: SIGUSR2 collects its garbage and returns the memory to the operating system.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options: object) => void
process.on('SIGUSR2', () => collect({ type: 'major', flavor: 'last-resort' }))
