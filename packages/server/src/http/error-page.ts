import type { FastifyReply } from 'fastify'
import type { Page } from '../identity/pages/layout.ts'
import { html, say } from '../platform/html.ts'
import type { ApiError } from '../platform/http/api-error.ts'
import { sendPage } from './serving/serve-page.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers with pages, whatever the client accepts. */
    isPage?: boolean
  }
}

/** Sends the error as a page if a person will read it. Programs, and everything under /api/, get JSON. */
export function sendErrorPage(reply: FastifyReply, error: ApiError): FastifyReply | undefined {
  const { url, headers, routeOptions } = reply.request
  const isForPerson = headers.accept?.includes('text/html') && !/^\/(api|json)\//.test(url)
  const isPage = routeOptions.config?.isPage === true
  return isPage || isForPerson ? sendPage(reply, errorPage(error, isPage)) : undefined
}

/** What one of our own pages does not find is a link that has expired: the page itself is there. */
function errorPage({ code, status, message }: ApiError, isPage: boolean): Page {
  const isMissing = code === 'NOT_FOUND' && !isPage
  const title = isMissing
    ? say('Page not found')
    : status >= 500
      ? say('Something went wrong')
      : say('That did not work')
  return {
    title,
    status,
    content: html`<p>${say(message)}</p>
<p class="actions"><a class="button outline" href="/">${say('Go to the home page')}</a></p>`,
  }
}
