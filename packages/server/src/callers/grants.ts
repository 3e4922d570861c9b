/** Permissions that only the operator can grant, on the command line. */
export const grants = ['can_create_users', 'can_change_user_emails'] as const
export type Grant = (typeof grants)[number]
