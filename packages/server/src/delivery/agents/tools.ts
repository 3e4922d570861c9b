import { readingTools } from './reading-tools.ts'
import type { Tool } from './tool.ts'
import { writingTools } from './writing-tools.ts'

export const tools: readonly Tool[] = [...readingTools, ...writingTools]
