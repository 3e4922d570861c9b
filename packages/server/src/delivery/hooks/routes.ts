import * as api from '@parley/api/delivery/hooks'
import { reloadCaller } from '../../callers/authenticate.ts'
import type { Caller } from '../../callers/caller.ts'
import { queueOwner } from '../../callers/caller.ts'
import { transactIn } from '../../context.ts'
import { renderAs } from '../../conversations/messages/send/compose.ts'
import { lockRow } from '../../events/lock-row.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { realmUrl } from '../../organization/realms/realm-url.ts'
import { accessBotToChange } from '../bots/access.ts'
import type { BotRow } from '../bots/queries.ts'
import { accessHook, accessRequest, checkOptions } from './access.ts'
import { createHook, deleteHook, optionsIn, updateHook } from './actions.ts'
import { accessIntegration, exampleOf, readCatalogue } from './catalogue.ts'
import { handleInWorker } from './handle-in-worker.ts'
import { receiverOf } from './hook-receiver.ts'
import { type RequestRow, readHooks, readRequests } from './queries.ts'
import { receive } from './receive-request.ts'
import type { Result } from './request-log.ts'

export function hookRoutes(app: App): void {
  serve(app, api.getIntegrations, () => ({ integrations: readCatalogue() }))

  serve(app, api.getHooks, async ({ ctx, user, request }) => {
    const base = realmUrl(ctx, request, user.realm)
    const hooks = await readHooks(ctx.db, user)
    return {
      hooks: hooks.map(({ token_sealed, ...hook }) => ({
        ...hook,
        url: token_sealed && urlOf(base, ctx.vault.tryOpen(token_sealed)),
      })),
    }
  })

  serve(app, api.createHook, async ({ ctx, user, params, request }) => {
    const { id, token } = await transactIn(ctx, user.realm_id, async (tx) => {
      await lockRow(tx, 'users', user.id) // the role of a new bot depends on the owner's
      return createHook(tx, ctx.vault, await reloadCaller(tx.db, user), params)
    })
    return { id, url: urlOf(realmUrl(ctx, request, user.realm), token)! }
  })

  serve(app, api.updateHook, async ({ ctx, user, path, params }) => {
    await transactIn(ctx, user.realm_id, async (tx) => {
      const { bot } = await accessHook(tx.db, user, path.hook_id)
      const { actor } = await accessBotToChange(tx, user, bot.id)
      const { hook } = await accessHook(tx.db, actor, path.hook_id)
      await updateHook(tx, ctx.vault, actor, hook, params)
    })
    return {}
  })

  serve(app, api.deleteHook, async ({ ctx, user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) => {
      const { hook } = await accessHook(tx.db, user, path.hook_id)
      await deleteHook(tx, user, hook)
    })
    return {}
  })

  requestRoutes(app)
}

function requestRoutes(app: App): void {
  serve(app, api.getHookRequests, async ({ ctx, user, path, params }) => {
    const { hook, bot } = await accessHook(ctx.db, user, path.hook_id)
    const requests = await readRequests(ctx.db, hook, params)
    return { requests: requests.map((one) => shownTo(user, bot, one)) }
  })

  serve(app, api.replayHookRequest, async ({ ctx, user, path }) => {
    const { hook } = await accessHook(ctx.db, user, path.hook_id)
    const { headers, body } = await accessRequest(ctx.db, hook, path.request_id)
    const to = await receiverOf(ctx, user.state, hook)
    const result = await receive(ctx, to, { headers, body }, { isReplay: true })
    await transactIn(ctx, user.realm_id, (tx) =>
      tx.audit(user.id, 'hook_request_replayed', { hook_id: hook.id, request_id: path.request_id }),
    )
    return resultObject(result)
  })

  serve(app, api.testHook, async ({ ctx, user, path, params }) => {
    const { hook } = await accessHook(ctx.db, user, path.hook_id)
    const to = await receiverOf(ctx, user.state, hook)
    const { request } = exampleOf(hook.integration, params.event)
    const arrived = { headers: request.headers, body: Buffer.from(request.body) }
    const mark = `*Test: an example of what ${to.integration.title} sends.*\n\n`
    return resultObject(await receive(ctx, to, arrived, { isReplay: true, mark }))
  })

  serve(app, api.previewHook, async ({ ctx, user, params }) => {
    const { integration, payload, event } = params
    const options = optionsIn(params)
    const { event: source } = accessIntegration(integration)
    checkOptions(options)
    const named = source && 'header' in source && event !== undefined ? { [source.header]: event } : {}
    const task = { integration, request: { headers: named, body: payload }, options }
    const outcome = await handleInWorker(queueOwner(user), task)
    if (outcome.kind !== 'message') return { topic: null, content: null, rendered: null, error: reasonOf(outcome) }
    const { html } = await renderAs(ctx, user, outcome.text)
    return { topic: outcome.topic, content: outcome.text, rendered: html, error: null }
  })
}

function urlOf(base: string, token: string | undefined): string | null {
  return token === undefined ? null : `${base}/in/${token}`
}

function reasonOf(outcome: { reason: string } | { event: string } | { header: string }): string {
  if ('reason' in outcome) return outcome.reason
  return 'event' in outcome ? `Unknown event: ${outcome.event}` : 'Say which event it is.'
}

function resultObject({ outcome, event, message_id, error }: Result) {
  return { outcome, event: event ?? null, message_id: message_id ?? null, error: error ?? null }
}

/** Only the owner of the bot sees what was sent; administrators see what became of it. */
function shownTo(user: Caller, bot: BotRow, { headers, body, ...request }: RequestRow) {
  const isOwn = bot.bot_owner_id === user.id
  return { ...request, headers: isOwn ? headers : null, body: isOwn ? body.toString('utf8') : null }
}
