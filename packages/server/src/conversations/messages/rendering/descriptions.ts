import type { Caller } from '../../../callers/caller.ts'
import type { Context } from '../../../context.ts'
import { escapeHtml } from '../../../platform/html.ts'
import { resolveReferences } from './references.ts'

/** Everyone loads the descriptions of all channels: a formula of ten characters may have a kilobyte of HTML. */
const longestHtml = 8000

/**
 * The HTML of the description of a channel, a folder or the organization. What would be too long for everyone to load is
 * rendered without formulas, or as it is written. Call it before the transaction, to keep the time that locks are held short.
 */
export async function renderDescription(ctx: Context, user: Caller, description: string): Promise<string> {
  const context = { ...(await resolveReferences(ctx.db, user, description)), previews: false }
  const { html } = await ctx.renderer.render(user, description, context)
  if (html.length <= longestHtml) return html
  const plain = ctx.renderer.renderNow(description, context).html
  return plain.length <= longestHtml ? plain : `<p>${escapeHtml(description)}</p>`
}
