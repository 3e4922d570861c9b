import { integration, type Payload } from '../src/integration.ts'

const lists = (payload: Payload) => (Array.isArray(payload?.embeds) ? payload.embeds.slice(0, 10) : [])

export default integration({
  name: 'discord',
  title: 'Discord',
  category: 'generic',
  summary: 'For programs that post to Discord: content and embeds.',
  topic: '{{ topic | default: thread_name | default: username | default: "Discord" }}',
  transform: (payload) => ({ ...payload, embeds: lists(payload) }),
  events: {
    message: {
      title: 'Messages',
      text: `{{ content | shorten: 4000 }}
{% for embed in embeds %}
{% if embed.author.name %}{{ embed.author.name | one_line }} · {% endif %}{% if embed.url %}{{ embed.title | default: embed.url | link: embed.url }}{% else %}{{ embed.title | bold }}{% endif %}
{% if embed.description %}{{ embed.description | shorten: 2000 | quote }}{% endif %}
{% for field in embed.fields limit: 25 %}* {{ field.name | one_line | bold }}: {{ field.value | one_line | shorten: 500 }}
{% endfor %}{% if embed.footer.text %}{{ embed.footer.text | one_line }}{% endif %}
{% endfor %}`,
    },
  },
})
