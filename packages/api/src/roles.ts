/** On its own, so that a command can name the roles without loading every schema. */
export const roles = { owner: 100, admin: 200, moderator: 300, member: 400, guest: 600 } as const
