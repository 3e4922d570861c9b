import { header, integration } from '../src/integration.ts'

const site = '{{ name | link: admin_url }}'
const change =
  '{% if branch %} from {{ branch | code }}{% endif %}{% if title %} ({% if commit_url %}{{ title | one_line | shorten: 200 | link: commit_url }}{% else %}{{ title | one_line | shorten: 200 }}{% endif %}){% endif %}'
const deploys = { requires: ['name'], keys: { update: '{{ id }}' } }

export default integration({
  name: 'netlify',
  title: 'Netlify',
  category: 'business',
  summary: 'Deploys: one message each, from the start to the result.',
  event: header('x-netlify-event'),
  topic: '{{ name | default: "Netlify" }}',
  events: {
    deploy_building: { title: 'Started deploys', ...deploys, text: `:working_on_it: Deploying ${site}${change}.` },
    deploy_created: {
      title: 'Finished deploys',
      ...deploys,
      text: `:check: Deployed ${site}${change}: {{ "preview" | link: deploy_ssl_url }}`,
    },
    deploy_failed: {
      title: 'Failed deploys',
      ...deploys,
      text: `:warning: The deploy of ${site}${change} failed{% if error_message %}:\n{{ error_message | shorten: 1000 | quote }}{% endif %}`,
    },
    deploy_locked: { title: 'Locked deploys', ...deploys, text: `Deploys of ${site} are locked.` },
    deploy_unlocked: { title: 'Unlocked deploys', ...deploys, text: `Deploys of ${site} are unlocked.` },
  },
})
