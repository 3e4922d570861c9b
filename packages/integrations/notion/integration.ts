import { field, integration } from '../src/integration.ts'

const page =
  '{% assign bare = entity.id | replace: "-", "" %}{% capture url %}https://www.notion.so/{{ bare }}{% endcapture %}{{ "page" | link: url }}'
const who = '{% if authors[0].type == "bot" %}A bot{% else %}Someone{% endif %}'
const pages = (title: string, verb: string) => ({ title, requires: ['entity.id'], text: `${who} ${verb} a ${page}.` })

export default integration({
  name: 'notion',
  title: 'Notion',
  category: 'work',
  summary: 'Pages, databases and comments that are created, changed or deleted.',
  event: field('type'),
  deliveryId: 'x-notion-delivery',
  signature: { kind: 'hmac_sha256', header: 'x-notion-signature', prefix: 'sha256=' },
  topic: '{{ workspace_name | default: "Notion" }}',
  events: {
    'page.created': pages('New pages', 'created'),
    'page.content_updated': pages('Changed content', 'changed the content of'),
    'page.properties_updated': pages('Changed properties', 'changed properties of'),
    'page.moved': pages('Moved pages', 'moved'),
    'page.deleted': pages('Deleted pages', 'deleted'),
    'page.undeleted': pages('Restored pages', 'restored'),
    'page.locked': pages('Locked pages', 'locked'),
    'page.unlocked': pages('Unlocked pages', 'unlocked'),
    'comment.created': { title: 'Comments', requires: ['entity.id'], text: `${who} commented on a page.` },
    'comment.updated': { title: 'Changed comments', requires: ['entity.id'], text: `${who} edited a comment.` },
    'database.created': { title: 'New databases', requires: ['entity.id'], text: `${who} created a database.` },
    'data_source.schema_updated': {
      title: 'Changed databases',
      requires: ['entity.id'],
      text: `${who} changed the columns of a database.`,
    },
  },
})
