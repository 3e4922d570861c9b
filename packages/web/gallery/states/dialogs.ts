import { everyLook } from '../looks.ts'
import type { Area, State, Step } from '../state.ts'
import { click, entry, fromMenu, labelled, press, row, see, write } from '../steps.ts'
import { topicAt } from './places.ts'

const dialog = (name: string, ...steps: Step[]): State => ({
  name,
  at: topicAt('tide model'),
  steps: [see(row('With pleasure, tomorrow.')), ...steps],
  shows: 'dialog[open]',
})
const fromTopic = (id: string): Step[] => [click(`header ${labelled('topic.actions')}`), click(entry(id))]

export const dialogs: Area = {
  name: 'dialogs',
  states: [
    { ...dialog('new-message', press('c')), looks: everyLook },
    dialog('new-direct', press('x')),
    dialog('forward', ...fromMenu('The tables agree.', 'message.forward')),
    dialog('move', ...fromMenu('The tables agree.', 'move.move')),
    dialog('source', ...fromMenu('The tables agree.', 'message.viewSource')),
    dialog('history', ...fromMenu('Twelve if the wind', 'message.history')),
    dialog('receipts', ...fromMenu('The tables agree.', 'message.receipts')),
    dialog('why-notified', ...fromMenu('Then the forecast', 'notify.why')),
    { ...dialog('remind', ...fromMenu('The tables agree.', 'reminder.action')), looks: ['light', 'dark', '390'] },
    { ...dialog('report', ...fromMenu('Then the forecast', 'report.action')), looks: ['light', 'dark', '390'] },
    dialog('keys', press('?')),
    dialog('rename-topic', ...fromTopic('topic.rename')),
    dialog('move-topic', ...fromTopic('topic.moveChannel')),
    dialog(
      'schedule',
      write('#composer', 'Later'),
      click(labelled('compose.sendLater')),
      click(entry('schedule.pick')),
    ),
    {
      name: 'confirmation',
      at: '#settings/account',
      steps: [click('main button:has-text("{text common.deactivate}")')],
      shows: 'dialog[open]',
    },
  ],
}
