/** Permissions that an operator grants by command; the API cannot. */
export const grants = ['can_create_users', 'can_change_user_emails'] as const
export type Grant = (typeof grants)[number]
