import type { Page } from 'playwright-core'
import type { Look } from './looks.ts'
import type { Stage } from './stage.ts'

/** Something done on a page, to bring a state on screen. */
export type Step = (scene: Scene) => Promise<unknown>

export interface Scene {
  page: Page
  stage: Stage
  /** Replaces what stands in braces: `{channel design}` by an id, `{text common.edit}` by the text in the page's language. */
  fill(text: string): string
}

/** One picture of the gallery, or one for each of several looks. */
export interface State {
  name: string
  /** The hash of a screen, or the path of a page that needs no client. */
  at: string
  /** Who looks at it; nobody on the pages for signing in. */
  as?: 'member' | 'owner' | 'guest' | 'newcomer' | 'nobody'
  /** Done before the page is opened. */
  before?: Step[]
  steps?: Step[]
  /** A selector of what must be on screen when the picture is taken. */
  shows: string
  /** `light` unless something else is named. */
  looks?: readonly Look[]
}

export interface Area {
  name: string
  states: State[]
}
