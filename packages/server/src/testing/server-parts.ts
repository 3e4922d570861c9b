/** The parts of the server that the test world starts: from the sources, or from the bundle in the folder PARLEY_DIST. */
export { closeContext, createContext } from '../boot/create-context.ts'
export { readConfig } from '../config.ts'
export { transactIn } from '../context.ts'
export { buildApp } from '../http/app.ts'
export { createRealm } from '../identity/accounts/create-realm.ts'
export { createUser } from '../people/users/actions.ts'
