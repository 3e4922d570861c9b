import type { Command } from 'commander'
import { orFail } from '../report-error.ts'
import { asJson, inRealm } from './options.ts'

export function addSecretCommands(parley: Command): void {
  const secret = parley.command('secret').description('the key that seals API keys and other secrets in the database')
  secret
    .command('rotate')
    .description('seal everything with a new key; the old one can still be read')
    .action(orFail(async () => (await import('../secrets/rotate.ts')).rotateSecret()))
  secret
    .command('remove-old')
    .description('remove the old key from secret.key, once nothing needs it')
    .action(orFail(async () => (await import('../secrets/rotate.ts')).removeOldSecrets()))
  secret
    .command('replace')
    .description('after the loss of the key: list what is lost, and replace it')
    .option('--yes', 'replace it')
    .action(orFail(async (options) => (await import('../secrets/replace.ts')).replaceSecrets(options)))

  const scim = parley.command('scim').description('tokens with which identity providers manage users and groups')
  scim
    .command('create-token')
    .description('create a token and print it once; it can create, change and deactivate accounts')
    .requiredOption('--name <name>', 'what it is for, such as Entra')
    .addOption(inRealm())
    .action(orFail(async (options) => (await import('../scim-tokens.ts')).createToken(options)))
  scim
    .command('list-tokens')
    .description('list the tokens with their last use')
    .addOption(asJson())
    .addOption(inRealm())
    .action(orFail(async (options) => (await import('../scim-tokens.ts')).listTokens(options)))
  scim
    .command('revoke-token')
    .description('revoke a token; accounts and groups stay as they are')
    .argument('<id>', 'the number that list-tokens shows')
    .addOption(inRealm())
    .action(orFail(async (id, options) => (await import('../scim-tokens.ts')).revokeToken(id, options)))
}
