/** Numbers of the contract, in a module without schemas, so that the web client can load it. */

export const botTypes = { generic: 1, incomingWebhook: 2, outgoingWebhook: 3, embedded: 4 } as const

/** The types of profile fields, by the keyword that clients use. */
export const profileFieldTypes = {
  SHORT_TEXT: { id: 1, name: 'Text (short)' },
  PARAGRAPH: { id: 2, name: 'Text (long)' },
  DROPDOWN: { id: 3, name: 'List of options' },
  DATE: { id: 4, name: 'Date' },
  URL: { id: 5, name: 'Link' },
  USER: { id: 6, name: 'Users' },
  EXTERNAL_ACCOUNT: { id: 7, name: 'External account' },
  PRONOUNS: { id: 8, name: 'Pronouns' },
} as const
