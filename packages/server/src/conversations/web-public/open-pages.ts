import { Html, html } from '../../platform/html.ts'
import { shownTopic } from '../messages/model/normalize-text.ts'
import { channelPath, topicPath } from './open-paths.ts'
import { messagesPerPage, type OpenChannel, type OpenMessage, type OpenTopic, topicsPerPage } from './queries.ts'

export function channelList(channels: OpenChannel[]): Html {
  if (channels.length === 0) return html`<p>No channel is open to everyone at the moment.</p>`
  return html`<ul class="entries">${channels.map(
    (channel) => html`<li><a href="${channelPath(channel)}"># ${channel.name}</a>
<div class="rendered quiet">${new Html(readable(channel.rendered_description))}</div></li>`,
  )}</ul>`
}

export function topicList(channel: OpenChannel, topics: OpenTopic[]): Html {
  const shown = topics.slice(0, topicsPerPage)
  return html`<div class="rendered quiet">${new Html(readable(channel.rendered_description))}</div>
${
  shown.length === 0
    ? html`<p>There are no messages yet.</p>`
    : html`<ul class="entries">${shown.map(
        (topic) => html`<li><a href="${topicPath(channel, topic)}">${topicName(topic)}</a>
<small>Newest message: ${time(topic.newest_at)}</small></li>`,
      )}</ul>`
}
${topics.length > topicsPerPage && next(`${channelPath(channel)}?before=${shown.at(-1)!.newest_id}`, 'Older topics')}`
}

export function messageList(channel: OpenChannel, topic: OpenTopic, messages: OpenMessage[]): Html {
  const shown = messages.slice(0, messagesPerPage)
  return html`${shown.map(messageArticle)}
${messages.length > messagesPerPage && next(`${topicPath(channel, topic)}?after=${shown.at(-1)!.id}`, 'Later messages')}`
}

function messageArticle({ id, sender, date_sent, rendered_content, is_me_message }: OpenMessage): Html {
  const text = is_me_message ? rendered_content.replace('/me ', '') : rendered_content
  return html`<article class="message" id="message-${id}">
<header><b>${sender}</b> <a href="#message-${id}">${time(date_sent)}</a></header>
<div class="rendered${is_me_message && ' me'}">${new Html(readable(text))}</div>
</article>`
}

export function topicName({ name }: { name: string }): string {
  return shownTopic(name, false)
}

/** The page has no scripts and no inline styles: formulas show their MathML, and emoji are characters. */
function readable(rendered: string): string {
  const text = rendered.replace(emoji, (source, code: string) => charactersOf(code) ?? source)
  return text.includes('class="katex"') ? text.replaceAll(/ style="[^"]*"/g, '') : text
}

const emoji = /(?<=<span [^<>]{0,200}class="emoji emoji-([0-9a-f-]{1,60})"[^<>]{0,200}>):[^<>:]{1,100}:/g

/** The client has images of emoji; here they are text. */
function charactersOf(code: string): string | undefined {
  const points = code.split('-').map((hex) => Number.parseInt(hex, 16))
  return points.every((point) => point <= 0x10ffff) ? String.fromCodePoint(...points) : undefined
}

function time(date: Date): Html {
  const iso = date.toISOString()
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`
}

function next(path: string, label: string): Html {
  return html`<p class="more"><a class="button outline" href="${path}" rel="next">${label}</a></p>`
}
