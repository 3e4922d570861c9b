import { ParleyClient } from './client.ts'

export interface Received {
  method: string
  /** Below /api/v1. */
  path: string
  params: Record<string, string>
  authorization: string | null
  idempotencyKey?: string
}

type Answer = object | Error | (() => Promise<object>)

/**
 * A client that gets its responses from a list instead of a server, and the requests it made. An error in the list is
 * a broken connection; deleting a queue succeeds without using up a response.
 */
export function scripted(...answers: Answer[]): { client: ParleyClient; received: Received[] } {
  const received: Received[] = []
  const reach = async (url: string, request: RequestInit): Promise<Response> => {
    received.push(requestOf(url, request))
    return responseOf(request.method === 'DELETE' ? {} : await next(answers, request.signal))
  }
  const options = { site: 'https://chat.example/', email: 'zoë@x.example', key: 'secret', fetch: reach as typeof fetch }
  return { client: new ParleyClient(options), received }
}

function requestOf(url: string, { method = 'GET', body, headers }: RequestInit): Received {
  const { pathname, searchParams } = new URL(url)
  const params = body ? (body as URLSearchParams) : searchParams
  const given = new Headers(headers)
  const key = given.get('idempotency-key')
  return {
    method,
    path: pathname.replace('/api/v1', ''),
    params: Object.fromEntries(params),
    authorization: given.get('authorization'),
    ...(key !== null && { idempotencyKey: key }),
  }
}

/** After the last response, requests wait until they are aborted. */
function next(answers: Answer[], signal: AbortSignal | null | undefined): Promise<object> {
  const answer = answers.shift()
  if (answer instanceof Error) return Promise.reject(answer)
  if (typeof answer === 'function') return answer() as Promise<object>
  if (answer) return Promise.resolve(answer)
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
}

function responseOf(answer: { status?: number }): Response {
  const { status = 200, ...fields } = answer
  const body = status < 400 ? { result: 'success', msg: '', ...fields } : { result: 'error', msg: 'no', ...fields }
  return new Response(JSON.stringify(body), { status })
}
