// Loaded into a measured process: SIGUSR2 collects its garbage and returns the memory to the operating system.
import { heapCompactor } from '../../packages/server/src/platform/compact-heap.ts'

process.on('SIGUSR2', heapCompactor())
