import { test } from 'node:test'
import { takeWalks } from '../walk.ts'

test('old state + events = new state after many sequences of actions', () =>
  takeWalks(Number(process.env.PARLEY_WALKS ?? 80)))
