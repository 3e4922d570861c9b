import type { Area } from './state.ts'
import { composer } from './states/composer.ts'
import { dialogs } from './states/dialogs.ts'
import { list } from './states/list.ts'
import { menus } from './states/menus.ts'
import { organization } from './states/organization.ts'
import { phone } from './states/phone.ts'
import { screens } from './states/screens.ts'
import { settings } from './states/settings.ts'
import { signIn } from './states/sign-in.ts'
import { visit } from './states/visit.ts'

/** All states of the gallery. Each area becomes a contact sheet. */
export const areas: Area[] = [list, composer, screens, menus, dialogs, settings, organization, signIn, phone, visit]
