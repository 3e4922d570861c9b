import { useSession, useStore } from '../session/context.tsx'
import { Button } from '../ui/button.tsx'
import { Card, Field, Form, Line } from './controls.tsx'
import { reasonOf, save } from './saving.ts'

export function AlertWordsPage() {
  const store = useStore()
  const { client } = useSession()
  const add = (word: string) => client.call('addAlertWords', { alert_words: [word] })
  const remove = (word: string) => client.call('removeAlertWords', { alert_words: [word] })
  const send = async (values: FormData) => {
    const word = String(values.get('word')).trim()
    if (store.alertWords.list.some((one) => one.toLowerCase() === word.toLowerCase()))
      return 'You have this word already.'
    try {
      await add(word)
    } catch (error) {
      return reasonOf(error)
    }
  }
  return (
    <Card title="Alert words" text="Messages that contain one of them are highlighted and notify you like a mention.">
      <Form button="Add" onSend={send}>
        <Field label="New word or phrase">
          {(id) => <input id={id} name="word" required maxLength={100} className="text-input" placeholder="deadline" />}
        </Field>
      </Form>
      {store.alertWords.list.map((word) => (
        <Line key={word} label={word}>
          <Button
            look="outline"
            aria-label={`Remove ${word}`}
            onClick={() => void save(() => remove(word), { undo: () => add(word), text: 'Removed' })}
          >
            Remove
          </Button>
        </Line>
      ))}
      {store.alertWords.list.length === 0 && <p className="none-yet">No alert words yet.</p>}
    </Card>
  )
}
