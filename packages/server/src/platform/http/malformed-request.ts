import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError } from './api-error.ts'
import { securityHeaders } from './security-headers.ts'

/** Answers connections that never sent a valid request: headers too large, too slow, or not HTTP at all. */
export function answerMalformedRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegunToAnswer(socket)) return void socket.destroy()
  const answer = complaint(error.code)
  const body = JSON.stringify(answer.body())
  const head = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}`),
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

/** In the middle of a response, another one would be read as part of it. */
function hasBegunToAnswer(socket: Socket): boolean {
  return (socket as Socket & { _httpMessage?: { headersSent: boolean } })._httpMessage?.headersSent ?? false
}

function complaint(code: string | undefined): ApiError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ApiError('The request took too long.', 'REQUEST_TIMEOUT')
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ApiError('The request headers are too large.', 'BAD_REQUEST', { status: 431 })
  return new ApiError('Malformed request.')
}
