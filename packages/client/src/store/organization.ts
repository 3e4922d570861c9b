import type { QueueEvent } from '@parley/api/events'
import type { LinkifierObject, PlaygroundObject } from '@parley/api/organization/linkifiers'
import type { ProfileField } from '@parley/api/people/profile-fields'
import type { Slice, State } from './state.ts'

/** Lists that events replace as a whole: profile fields, linkifiers and code playgrounds. */
export class Organization implements Slice {
  readonly events = ['custom_profile_fields', 'realm_linkifiers', 'realm_playgrounds'] as const
  readonly fields = ['custom_profile_fields', 'realm_linkifiers', 'realm_playgrounds'] as const
  profileFields: ProfileField[] | undefined
  linkifiers: LinkifierObject[] | undefined
  playgrounds: PlaygroundObject[] | undefined

  constructor({ custom_profile_fields, realm_linkifiers, realm_playgrounds }: State) {
    this.profileFields = custom_profile_fields
    this.linkifiers = realm_linkifiers
    this.playgrounds = realm_playgrounds
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
