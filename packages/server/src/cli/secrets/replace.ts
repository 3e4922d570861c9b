import { replaceLostPushKeys, replaceLostSecrets } from '../../operation/secrets/replace-lost.ts'
import { countUnreadable } from '../../operation/secrets/reseal.ts'
import { StartupError } from '../../platform/postgres/startup-error.ts'
import { withContext } from '../open-context.ts'

/** After the loss of the key: lists what is lost, and replaces it with `yes`. Passwords, sessions and tokens go on. */
export async function replaceSecrets({ yes = false }: { yes?: boolean }): Promise<void> {
  await withContext(
    async (ctx) => {
      const lost = await countUnreadable(ctx)
      if (lost.length === 0) return console.log('Nothing is lost: the key can read everything.')
      for (const { what, count } of lost) console.log(`Lost: ${count} ${what}`)
      if (!yes) throw new StartupError(askForYes)
      for (const { id } of await ctx.db.selectFrom('realms').select('id').orderBy('id').execute())
        await replaceLostSecrets(ctx, id)
      await replaceLostPushKeys(ctx)
      console.log('Replaced. Restart every server. Clients with an API key must sign in again.')
    },
    { anySecret: true },
  )
}

const askForYes =
  'If you have the old key, set SECRET_KEY to it or restore secret.key instead. To replace all this, repeat with --yes.'
