import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** The icons of the web client, by the names that Lucide gives them. */
const names = `
activity alert arrow-down arrow-left arrow-up at-sign bell bell-off bell-ring bot building-complex calendar check check-check chevron-down 
chevron-left chevron-right chevrons-up-down circle circle-check circle-question-mark circle-user-round clock cloud-check code copy 
ellipsis ellipsis-vertical eye eye-off face-slightly-smiling face-slightly-smiling-plus file-text 
fingerprint-pattern flask-conical folder folder-input folder-plus git-pull-request hard-drive-download hash image inbox italic key-round 
letter-b link list list-checks list-filter lock log-out mail mail-plus maximize-2 megaphone menu message-circle messages 
monitor-smartphone panel-right pencil-line pin plus quote refresh rotate-ccw-clock search send-horizontal 
settings shapes shield-check smartphone spell-check square-pen star sun-moon text-quote text-wrap trash users-round 
video waves-horizontal wifi-off x
`

/** Our names for icons of Lucide. */
const renamed: Record<string, string> = {
  alert: 'circle-alert',
  'letter-b': 'bold',
  messages: 'messages-square',
  refresh: 'refresh-cw',
}

type Shape = [tag: string, attributes: Record<string, string>]

/** A module with the shapes of each icon, one line each. Most shapes are paths: they are given as `d` alone. */
export function describeIcons(): string {
  const source = createRequire(import.meta.url).resolve('lucide-static/icon-nodes.json')
  const nodes: Record<string, Shape[]> = JSON.parse(readFileSync(source, 'utf8'))
  const lines = names
    .trim()
    .split(/\s+/)
    .map((name) => `  '${name}': ${JSON.stringify(shapesOf(nodes, name).map(shorten))},`)
  return [
    '/** Generated from lucide-static (ISC License, Lucide Contributors). Do not edit: npm run icons */',
    '/** A path, or another element with its attributes. */',
    'type Shape = string | [tag: string, attributes: Record<string, string>]',
    '',
    'export const shapes = {',
    ...lines,
    '} satisfies Record<string, Shape[]>',
    '',
    'export type IconName = keyof typeof shapes',
    '',
  ].join('\n')
}

function shorten([tag, attributes]: Shape): string | Shape {
  return tag === 'path' && Object.keys(attributes).join() === 'd' ? attributes.d! : [tag, attributes]
}

function shapesOf(nodes: Record<string, Shape[]>, name: string): Shape[] {
  const shapes = nodes[renamed[name] ?? name]
  if (!shapes) throw new Error(`Lucide has no icon "${name}".`)
  return shapes
}
