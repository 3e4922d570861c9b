/** In a file of its own, so that CLI commands can use the roles without loading every schema. */
export const roles = { owner: 100, admin: 200, moderator: 300, member: 400, guest: 600 } as const
