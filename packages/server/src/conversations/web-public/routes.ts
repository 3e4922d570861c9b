import * as api from '@parley/api/conversations/open-channels'
import { topicUrl } from '@parley/markdown/inline/links'
import { shownText } from '@parley/markdown/shown-text'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Realm } from '../../callers/realm-state.ts'
import { limitReader } from '../../http/serving/quotas.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { imagesOf, urlOf } from '../../organization/realms/images.ts'
import { realmUrl } from '../../organization/realms/realm-url.ts'
import { realmOf } from '../../organization/realms/request-realm.ts'
import { FairQueue } from '../../platform/fair-queue.ts'
import { networkOf } from '../../platform/http/network.ts'
import { accessOpenChannel, accessOpenTopic, checkOpen, isOpen } from './access.ts'
import { openMessages, openTopics } from './open-api.ts'
import { type OpenPage, openPagePolicy, renderOpenPage } from './open-layout.ts'
import { channelList, messageList, topicList, topicName } from './open-pages.ts'
import { channelPath, idIn, openPath, topicPath } from './open-paths.ts'
import { readOpenChannels, readOpenMessages, readOpenTopics } from './queries.ts'

type Content = Pick<OpenPage, 'title' | 'content' | 'description' | 'inClient'> & {
  path: string
  crumbs?: OpenPage['crumbs']
}
type Params = Record<string, string | undefined>

/** Readers without an account share two connections to the database, so that they never slow down members. */
const readers = new FairQueue({ concurrency: 2, concurrencyPerOwner: 1, waitingPerOwner: 20, waitingInTotal: 500 })

/** Pages for search engines, and for people without an account. They work without scripts. */
export function openChannelRoutes(app: App): void {
  const { ctx } = app
  const page = (url: string, read: (realm: Realm, path: Params, query: Params) => Promise<Content>) =>
    app.server.get(url, { onRequest: limited(app), config: { isPage: true } }, async (request, reply) => {
      const realm = await realmOf(ctx, request)
      const { params, query } = request as { params: Params; query: Params }
      const content = await readers.run(networkOf(request.ip), () => read(realm, params, query))
      return sendOpenPage(reply, pageOf(realm, realmUrl(ctx, request, realm), content))
    })

  page(openPath, (realm) => listPage(app, realm))
  page(`${openPath}/:channel`, (realm, { channel }, { before }) => channelPage(app, realm, idIn(channel), idIn(before)))
  page(`${openPath}/:channel/:topic`, (realm, { channel, topic }, { after }) =>
    topicPage(app, realm, { channelId: idIn(channel), topicId: idIn(topic), after: idIn(after) }),
  )

  const read = async <T>(request: FastifyRequest, work: (realm: Realm) => Promise<T>) => {
    const realm = await realmOf(ctx, request)
    return readers.run(networkOf(request.ip), () => work(realm))
  }
  serve(app, api.getOpenChannels, ({ request }) => read(request, (realm) => openChannels(app, realm)))
  serve(app, api.getOpenTopics, ({ request, path, params }) =>
    read(request, (realm) => openTopics(ctx.db, realm, path.stream_id, params)),
  )
  serve(app, api.getOpenMessages, ({ request, path, params }) =>
    read(request, (realm) => openMessages(ctx.db, realm, path.stream_id, params)),
  )

  app.server.get('/robots.txt', { onRequest: limited(app) }, async (request, reply) => {
    const mayCrawl = isOpen(await realmOf(ctx, request))
    const files = ['/static/', '/user_uploads/', '/user_avatars/'].map((path) => `Allow: ${path}\n`).join('')
    reply.type('text/plain; charset=utf-8')
    return `User-agent: *\n${mayCrawl ? `Allow: ${openPath}\n${files}` : ''}Disallow: /\n`
  })
}

function limited(app: App) {
  return async (request: FastifyRequest, reply: FastifyReply) => limitReader(app, request, reply)
}

async function openChannels({ ctx }: App, realm: Realm) {
  checkOpen(realm)
  const channels = await readOpenChannels(ctx.db, realm.id)
  return {
    realm_name: realm.name,
    realm_icon_url: imagesOf(realm).icon_url,
    channels: channels.map(({ id, name, rendered_description }) => ({
      stream_id: id,
      name,
      description: rendered_description,
    })),
  }
}

async function listPage({ ctx }: App, realm: Realm): Promise<Content> {
  checkOpen(realm)
  const content = channelList(await readOpenChannels(ctx.db, realm.id))
  return {
    title: realm.name,
    content,
    description: shownText(realm.rendered_description),
    path: openPath,
    inClient: '#channels',
  }
}

async function channelPage({ ctx }: App, realm: Realm, id: number, before: number): Promise<Content> {
  const channel = await accessOpenChannel(ctx.db, realm, id)
  const topics = await readOpenTopics(ctx.db, realm.id, id, before || null)
  return {
    title: `# ${channel.name}`,
    content: topicList(channel, topics),
    description: shownText(channel.rendered_description),
    path: `${channelPath(channel)}${before > 0 ? `?before=${before}` : ''}`,
    crumbs: [['Channels', openPath]],
    inClient: `#topics/channel/${id}`,
  }
}

async function topicPage(
  { ctx }: App,
  realm: Realm,
  place: { channelId: number; topicId: number; after: number },
): Promise<Content> {
  const channel = await accessOpenChannel(ctx.db, realm, place.channelId)
  const topic = await accessOpenTopic(ctx.db, realm, channel.id, place.topicId)
  const messages = await readOpenMessages(ctx.db, realm.id, place)
  return {
    title: topicName(topic),
    content: messageList(channel, topic, messages),
    description: shownText(messages[0]?.rendered_content ?? '')
      .slice(0, 160)
      .toWellFormed(),
    path: `${topicPath(channel, topic)}${place.after > 0 ? `?after=${place.after}` : ''}`,
    crumbs: [
      ['Channels', openPath],
      [`# ${channel.name}`, channelPath(channel)],
    ],
    inClient: topicUrl(channel.id, channel.name, topic.name).slice(1),
  }
}

function pageOf(realm: Realm, url: string, { path, crumbs = [], ...content }: Content): OpenPage {
  return { ...content, crumbs, canonical: url + path, organization: realm.name, iconUrl: urlOf(realm.icon_path) }
}

function sendOpenPage(reply: FastifyReply, page: OpenPage): FastifyReply {
  return reply
    .header('content-security-policy', openPagePolicy)
    .type('text/html; charset=utf-8')
    .send(renderOpenPage(page))
}
