import { field, integration } from '../src/integration.ts'

const who = '{{ action.memberCreator.fullName | default: "Someone" | one_line | bold }}'
const card =
  '{% capture url %}https://trello.com/c/{{ action.data.card.shortLink }}{% endcapture %}{{ action.data.card.name | link: url }}'
const cards = { requires: ['action.data.card.name'], topic: '{{ model.name }} / {{ action.data.card.name }}' }

export default integration({
  name: 'trello',
  title: 'Trello',
  category: 'work',
  summary: 'Cards, comments, members, checklists and lists of a board.',
  event: field('action.type'),
  requires: ['action.type'],
  topic: '{{ model.name | default: "Trello" }}',
  events: {
    createCard: {
      title: 'New cards',
      ...cards,
      text: `${who} added ${card} to {{ action.data.list.name | one_line | bold }}.`,
    },
    updateCard: {
      title: 'Changed cards',
      ...cards,
      text: `${who} {% if action.data.listAfter %}moved ${card} from {{ action.data.listBefore.name | one_line | bold }} to {{ action.data.listAfter.name | one_line | bold }}{% elsif action.data.old.closed == false %}archived ${card}{% elsif action.data.old.closed == true %}brought back ${card}{% elsif action.data.old.name %}renamed {{ action.data.old.name | one_line | bold }} to ${card}{% else %}changed ${card}{% endif %}.`,
    },
    deleteCard: { title: 'Deleted cards', requires: ['action.data.card'], text: `${who} deleted a card.` },
    commentCard: {
      title: 'Comments',
      ...cards,
      text: `${who} commented on ${card}:\n{{ action.data.text | shorten: 2000 | quote }}`,
    },
    addMemberToCard: {
      title: 'Members',
      ...cards,
      text: `${who} added {{ action.member.fullName | one_line | bold }} to ${card}.`,
    },
    removeMemberFromCard: {
      title: 'Members who leave',
      ...cards,
      text: `${who} removed {{ action.member.fullName | one_line | bold }} from ${card}.`,
    },
    addAttachmentToCard: {
      title: 'Attachments',
      ...cards,
      text: `${who} attached {{ action.data.attachment.name | link: action.data.attachment.url }} to ${card}.`,
    },
    updateCheckItemStateOnCard: {
      title: 'Checklists',
      ...cards,
      text: `${who} {% if action.data.checkItem.state == "complete" %}checked{% else %}unchecked{% endif %} {{ action.data.checkItem.name | one_line | bold }} on ${card}.`,
    },
    createList: {
      title: 'New lists',
      requires: ['action.data.list'],
      text: `${who} added the list {{ action.data.list.name | one_line | bold }}.`,
    },
  },
})
