import { integration, type Payload } from '../src/integration.ts'

const most = 20
const verbs: [string, string][] = [
  ['added', 'added'],
  ['changed', 'changed'],
  ['removed', 'removed'],
  ['deleted', 'deleted'],
  ['undeleted', 'restored'],
]

export default integration({
  name: 'asana',
  title: 'Asana',
  category: 'work',
  summary: 'Tasks, comments and projects that are added, changed or deleted.',
  requires: ['events'],
  topic: '{{ topic | default: "Asana" }}',
  // Events carry ids only. Those that Asana repeats for each parent are said once.
  transform: (payload) => {
    const known = new Map<string, Payload>()
    for (const event of Array.isArray(payload?.events) ? payload.events.slice(0, 200) : []) {
      const verb = verbs.find(([action]) => action === event?.action)?.[1]
      const { gid, resource_type } = event?.resource ?? {}
      if (verb && gid)
        known.set(`${verb} ${gid} ${event.change?.field ?? ''}`, { ...event, verb, gid, kind: resource_type })
    }
    return { ...payload, shown: [...known.values()].slice(0, most), more: Math.max(0, known.size - most) }
  },
  events: {
    message: {
      title: 'Tasks, comments and projects',
      text: `{% for event in shown %}{% capture url %}https://app.asana.com/0/0/{{ event.gid }}{% endcapture %}* A {{ event.kind | default: "task" | replace: "story", "comment" | one_line | link: url }} was {{ event.verb }}{% if event.change.field %}: {{ event.change.field | replace: "_", " " | one_line | bold }}{% endif %}.
{% endfor %}{% if more > 0 %}* {{ more }} more{% endif %}`,
    },
  },
})
