/** The data of a message that starts a poll or a to-do list. */
export type Widget =
  | { widget_type: 'poll'; extra_data: { question: string; options: string[] } }
  | { widget_type: 'todo'; extra_data: { task_list_title: string; tasks: { task: string; desc: string }[] } }

/** Parses `/poll` and `/todo` commands; other messages have no widget. */
export function parseWidget(content: string): Widget | undefined {
  const command = /^\/(poll|todo)(?:\s|$)/.exec(content)
  if (!command) return undefined
  const [first = '', ...rest] = content.slice('/poll'.length).split('\n')
  const lines = rest.map((line) => line.replace(/^\s*[-*]?\s*/, '').trim()).filter((line) => line !== '')
  if (command[1] === 'poll') return { widget_type: 'poll', extra_data: { question: first.trim(), options: lines } }
  return { widget_type: 'todo', extra_data: { task_list_title: first.trim(), tasks: lines.map(parseTask) } }
}

/** `task: description`. Times and URLs also contain colons, but no space after them. */
function parseTask(line: string): { task: string; desc: string } {
  const colon = line.indexOf(': ')
  if (colon < 0) return { task: line, desc: '' }
  return { task: line.slice(0, colon).trim(), desc: line.slice(colon + 2).trim() }
}
