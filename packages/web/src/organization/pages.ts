import type { Page } from '../settings/pages.ts'

/** The organization's settings. Each page is loaded when it is opened. */
export const organizationPages: readonly Page[] = []
