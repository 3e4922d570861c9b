import { test } from 'node:test'
import { takeWalks } from './walk.ts'

test('old state + events = new state after any sequence of actions', () => takeWalks(10))
