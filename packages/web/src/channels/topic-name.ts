/** The empty topic has a name for people. */
export function topicName(topic: string): string {
  return topic === '' ? 'general chat' : topic.replace(/^✔ /, '')
}
