import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Whether this is a bundle made by `npm run build`, or the sources. Only this module knows the difference. */
export const isBundled = import.meta.filename.endsWith('.js')

/** What messages tell people to type. */
export const commandName = isBundled ? 'parley' : 'npm run parley --'
export const serveCommand = isBundled ? 'parley serve' : 'npm run start:production'

/** The sources are `src/platform/…` of the package; all files of the bundle are in `server/`. */
const root = join(import.meta.dirname, isBundled ? '..' : '../..')

export const migrationsFolder = join(root, 'migrations')
export const publicFolder = join(root, 'public')
export const packageFile = join(root, 'package.json')

/** The pages that the server shows at /help. */
export const docsFolder = join(root, isBundled ? 'docs' : '../../docs')

/** Icons, steps and examples of integrations. */
export const integrationsFolder = join(root, isBundled ? 'integrations' : '../integrations')

/** The web client of a bundle is built already. That of the sources is built when it is needed. */
export const webClientFolder = join(root, isBundled ? 'web' : '../web')

/** Where compiled code is kept between two starts; a bundle starts as fast without. */
export const compileCacheFolder = isBundled ? undefined : join(root, '../../node_modules/.cache/parley')

/** Modules that are started by their file: worker threads, child processes, and what is loaded synchronously when needed. */
export const separateModules = {
  imageChild: 'platform/images/image-child',
  renderWorker: 'conversations/messages/rendering/render-worker',
  mailWorker: 'delivery/mail-in/mail-worker',
  hookWorker: 'delivery/hooks/hook-worker',
  strengthWorker: 'identity/passwords/strength-worker',
  signOnSchema: 'config/sign-on-schema',
} as const

export function moduleUrl(name: keyof typeof separateModules): URL {
  const path = isBundled ? `server/${name}.js` : `src/${separateModules[name]}.ts`
  return pathToFileURL(join(root, path))
}
