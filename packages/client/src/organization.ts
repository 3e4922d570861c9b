import type { QueueEvent } from '@parley/api/events'
import type { LinkifierObject, PlaygroundObject } from '@parley/api/linkifiers'
import type { ProfileField } from '@parley/api/profile-fields'
import type { Slice, State } from './state.ts'

/** Lists that events replace as a whole: profile fields, linkifiers and code playgrounds. */
export class Organization implements Slice {
  readonly fields = ['custom_profile_fields', 'realm_linkifiers', 'realm_playgrounds'] as const
  profileFields: readonly ProfileField[] | undefined
  linkifiers: readonly LinkifierObject[] | undefined
  playgrounds: readonly PlaygroundObject[] | undefined

  constructor({ custom_profile_fields, realm_linkifiers, realm_playgrounds }: State) {
    this.profileFields = custom_profile_fields as ProfileField[] | undefined
    this.linkifiers = realm_linkifiers as LinkifierObject[] | undefined
    this.playgrounds = realm_playgrounds as PlaygroundObject[] | undefined
  }

  apply(event: QueueEvent): void {
    if (event.type === 'custom_profile_fields') this.profileFields = event.fields
    if (event.type === 'realm_linkifiers') this.linkifiers = event.realm_linkifiers
    if (event.type === 'realm_playgrounds') this.playgrounds = event.realm_playgrounds
  }

  snapshot(): State {
    return {
      ...(this.profileFields && { custom_profile_fields: this.profileFields }),
      ...(this.linkifiers && { realm_linkifiers: this.linkifiers }),
      ...(this.playgrounds && { realm_playgrounds: this.playgrounds }),
    }
  }
}
